"""The application of `bench api` on FastAPI and uvicorn: three routes, models in and out, a new file."""

import argparse
from pathlib import Path

from bench.api.fast import app_on, filled
from bench.start.bare import serve


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--file", type=Path, required=True)
    wanted = parser.parse_args()
    filled(wanted.file, 0)
    app = app_on(wanted.file)

    @app.get("/readyz")
    async def ready() -> dict[str, str]:
        return {}

    serve(app, wanted.port)


if __name__ == "__main__":
    main()
