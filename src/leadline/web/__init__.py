"""The web page: FastAPI around a Gradio page that reads runs through their folders."""
