"""Start the server: ``python webui.py --ip 127.0.0.1 --port 7788``."""

import argparse
import sys

from leadline.errors import LeadlineError
from leadline.settings import Settings
from leadline.web.server import serve

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Leadline in the browser.")
    parser.add_argument("--ip", help="address to bind (default 127.0.0.1)")
    parser.add_argument("--port", type=int, help="port to listen on (default 7788)")
    options = parser.parse_args()
    try:
        serve(Settings(host=options.ip, port=options.port))
    except LeadlineError as error:
        sys.exit(str(error))
