"""Static files, answered whole."""

from django.http import HttpRequest, HttpResponse
from whitenoise.middleware import WhiteNoiseMiddleware  # type: ignore[import-untyped]
from whitenoise.responders import StaticFile  # type: ignore[import-untyped]


class StaticFilesMiddleware(WhiteNoiseMiddleware):  # type: ignore[misc]
    """WhiteNoise for ASGI: ours are small, and Django would gather its synchronous stream anyway, warning each time."""

    @staticmethod
    def serve(static_file: StaticFile, request: HttpRequest) -> HttpResponse:
        answer = static_file.get_response(request.method, request.META)
        response = HttpResponse(status=int(answer.status))
        if answer.file is not None:
            with answer.file as file:
                response.content = file.read()
        # Its headers are complete; Django's own guess of a type is not among them.
        del response["Content-Type"]
        for name, value in answer.headers:
            response[name] = value
        if answer.file is not None:
            # The headers are from the start of the process; the file may have been replaced since.
            response["Content-Length"] = str(len(response.content))
        return response
