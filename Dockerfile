# Leadline with its own Chromium, as a user without rights. One port, nothing else is reachable.
FROM python:3.11-slim-bookworm

RUN apt-get update \
    && apt-get install -y --no-install-recommends chromium fonts-liberation fonts-noto-cjk tini \
    && rm -rf /var/lib/apt/lists/*

RUN useradd --create-home --uid 1000 leadline
WORKDIR /app

COPY requirements/runtime.txt requirements/build.txt requirements/
RUN pip install --no-cache-dir --require-hashes --no-deps --only-binary :all: \
        -r requirements/runtime.txt -r requirements/build.txt

COPY pyproject.toml README.md LICENSE webui.py ./
COPY src src
RUN pip install --no-cache-dir --no-deps --no-build-isolation --no-index . \
    && install -d -o leadline -g leadline tmp

USER leadline
ENV BROWSER_PATH=/usr/bin/chromium \
    LEADLINE_HOST=0.0.0.0 \
    LEADLINE_PORT=7788 \
    PYTHONUNBUFFERED=1

# The runs and their reports.
VOLUME ["/app/tmp"]
EXPOSE 7788

HEALTHCHECK --interval=30s --timeout=5s --start-period=30s \
    CMD ["python", "-c", "import socket; socket.create_connection(('127.0.0.1', 7788), 3).close()"]

# tini collects the processes of browsers that ended. Without LEADLINE_TOKEN the server makes a
# token and prints a link with it once: docker logs shows it.
ENTRYPOINT ["tini", "--"]
CMD ["python", "webui.py"]
