"""The floor: uvicorn with an application of three lines."""

import argparse
from typing import Any

import uvicorn

AnyAsgi = Any


async def app(scope: AnyAsgi, receive: AnyAsgi, send: AnyAsgi) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"{}"})


def serve(app: AnyAsgi, port: int) -> None:
    uvicorn.run(app, port=port, log_config=None, access_log=False, lifespan="off")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, required=True)
    serve(app, parser.parse_args().port)


if __name__ == "__main__":
    main()
