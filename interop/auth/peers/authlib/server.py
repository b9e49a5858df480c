"""An authorization server of Authlib: metadata, registration, codes with PKCE, refresh tokens that are replaced, JWTs (RFC 9068), revocation, introspection."""

import sys
import time

from authlib.integrations.flask_oauth2 import AuthorizationServer
from authlib.jose import JsonWebKey
from authlib.oauth2.rfc6749 import ClientMixin, TokenMixin, AuthorizationCodeMixin, grants, list_to_scope, scope_to_list
from authlib.oauth2.rfc7009 import RevocationEndpoint
from authlib.oauth2.rfc7591 import ClientRegistrationEndpoint
from authlib.oauth2.rfc7636 import CodeChallenge
from authlib.oauth2.rfc7662 import IntrospectionEndpoint
from authlib.oauth2.rfc9068 import JWTBearerTokenGenerator
from authlib.oauth2.rfc9207 import IssuerParameter
from flask import Flask, jsonify, request

port, resource, secret = int(sys.argv[1]), sys.argv[2], sys.argv[3]
issuer = f"http://127.0.0.1:{port}"
scopes = ["mcp:read", "mcp:write"]
key = JsonWebKey.generate_key("EC", "P-256", is_private=True, options={"kid": "of-this-run", "alg": "ES256", "use": "sig"})
clients, codes, tokens = {}, {}, []


class User:
    def get_user_id(self):
        return "ann"


class Client(ClientMixin):
    def __init__(self, client_id, client_secret, metadata):
        self.client_id, self.client_secret, self.metadata = client_id, client_secret, metadata

    def get_client_id(self):
        return self.client_id

    def get_default_redirect_uri(self):
        return self.metadata["redirect_uris"][0]

    def get_allowed_scope(self, scope):
        return list_to_scope([one for one in scope_to_list(scope) or [] if one in scopes])

    def check_redirect_uri(self, redirect_uri):
        return redirect_uri in self.metadata.get("redirect_uris", [])

    def check_client_secret(self, client_secret):
        return self.client_secret == client_secret

    def check_endpoint_auth_method(self, method, endpoint):
        return method == self.metadata.get("token_endpoint_auth_method", "client_secret_basic")

    def check_response_type(self, response_type):
        return response_type == "code"

    def check_grant_type(self, grant_type):
        return grant_type in self.metadata.get("grant_types", [])

    @property
    def client_info(self):
        return {"client_id": self.client_id, "client_secret": self.client_secret or "", "client_id_issued_at": int(time.time()), "client_secret_expires_at": 0}

    @property
    def client_metadata(self):
        return self.metadata


class Code(AuthorizationCodeMixin):
    def __init__(self, **fields):
        self.__dict__.update(fields)

    def get_redirect_uri(self):
        return self.redirect_uri

    def get_scope(self):
        return self.scope

    def get_nonce(self):
        return None

    def get_auth_time(self):
        return None


class Token(TokenMixin):
    def __init__(self, client, fields):
        self.client, self.issued_at, self.revoked, self.fields = client, int(time.time()), False, fields

    def check_client(self, client):
        return self.client.get_client_id() == client.get_client_id()

    def get_scope(self):
        return self.fields["scope"]

    def get_expires_in(self):
        return self.fields["expires_in"]

    def is_expired(self):
        return self.issued_at + self.fields["expires_in"] < time.time()

    def is_revoked(self):
        return self.revoked

    def get_user(self):
        return User()

    def get_client(self):
        return self.client


def find(text, hint=None):
    names = [hint] if hint in ("access_token", "refresh_token") else ["access_token", "refresh_token"]
    return next((one for one in tokens for name in names if one.fields.get(name) == text), None)


class CodeGrant(grants.AuthorizationCodeGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = ["none", "client_secret_basic", "client_secret_post"]

    def save_authorization_code(self, code, request):
        payload = request.payload
        codes[code] = Code(
            code=code,
            client_id=request.client.get_client_id(),
            redirect_uri=payload.redirect_uri,
            scope=payload.scope,
            code_challenge=payload.data.get("code_challenge"),
            code_challenge_method=payload.data.get("code_challenge_method"),
        )

    def query_authorization_code(self, code, client):
        found = codes.get(code)
        return found if found is not None and found.client_id == client.get_client_id() else None

    def delete_authorization_code(self, authorization_code):
        codes.pop(authorization_code.code, None)

    def authenticate_user(self, authorization_code):
        return User()


class RefreshGrant(grants.RefreshTokenGrant):
    INCLUDE_NEW_REFRESH_TOKEN = True
    TOKEN_ENDPOINT_AUTH_METHODS = ["none", "client_secret_basic", "client_secret_post"]

    def authenticate_refresh_token(self, refresh_token):
        found = find(refresh_token, "refresh_token")
        return found if found is not None and not found.revoked else None

    def authenticate_user(self, credential):
        return User()

    def revoke_old_credential(self, credential):
        credential.revoked = True


class Generator(JWTBearerTokenGenerator):
    def get_jwks(self):
        return {"keys": [key.as_dict(is_private=True)]}

    def get_audiences(self, client, user, scope):
        return [resource]


class Registration(ClientRegistrationEndpoint):
    def authenticate_token(self, request):
        return {"open": True}

    def save_client(self, client_info, client_metadata, request):
        public = client_metadata.get("token_endpoint_auth_method") == "none"
        client = Client(client_info["client_id"], None if public else client_info["client_secret"], client_metadata)
        clients[client.client_id] = client
        return client

    def get_server_metadata(self):
        return metadata()


class Revocation(RevocationEndpoint):
    CLIENT_AUTH_METHODS = ["none", "client_secret_basic", "client_secret_post"]

    def query_token(self, token_string, token_type_hint):
        return find(token_string, token_type_hint)

    def revoke_token(self, token, request):
        token.revoked = True


class Introspection(IntrospectionEndpoint):
    def query_token(self, token_string, token_type_hint):
        return find(token_string, token_type_hint)

    def check_permission(self, token, client, request):
        return client.get_client_id() == "resource-server"

    def introspect_token(self, token):
        return {
            "active": not token.revoked and not token.is_expired(),
            "iss": issuer,
            "sub": "ann",
            "aud": resource,
            "client_id": token.client.get_client_id(),
            "scope": token.get_scope(),
            "exp": token.issued_at + token.get_expires_in(),
        }


class Iss(IssuerParameter):
    def get_issuer(self):
        return issuer


def metadata():
    return {
        "issuer": issuer,
        "authorization_endpoint": f"{issuer}/authorize",
        "token_endpoint": f"{issuer}/token",
        "registration_endpoint": f"{issuer}/register",
        "revocation_endpoint": f"{issuer}/revoke",
        "introspection_endpoint": f"{issuer}/introspect",
        "jwks_uri": f"{issuer}/jwks",
        "scopes_supported": scopes,
        "response_types_supported": ["code"],
        "grant_types_supported": ["authorization_code", "refresh_token"],
        "token_endpoint_auth_methods_supported": ["none", "client_secret_basic"],
        "revocation_endpoint_auth_methods_supported": ["none", "client_secret_basic"],
        "code_challenge_methods_supported": ["S256"],
        "authorization_response_iss_parameter_supported": True,
    }


clients["resource-server"] = Client("resource-server", secret, {"token_endpoint_auth_method": "client_secret_basic"})
app = Flask(__name__)
server = AuthorizationServer(
    app,
    query_client=clients.get,
    save_token=lambda token, request: tokens.append(Token(request.client, dict(token))),
)
server.register_token_generator("default", Generator(issuer, alg="ES256", refresh_token_generator=lambda *_, **__: __import__("secrets").token_urlsafe(32)))
server.register_grant(CodeGrant, [CodeChallenge(required=True)])
server.register_grant(RefreshGrant)
server.register_endpoint(Registration)
server.register_endpoint(Revocation)
server.register_endpoint(Introspection)
server.register_extension(Iss())


@app.get("/.well-known/oauth-authorization-server")
def well_known():
    return jsonify(metadata())


@app.get("/jwks")
def jwks():
    return jsonify({"keys": [key.as_dict()]})


@app.route("/authorize", methods=["GET", "POST"])
def authorize():
    grant = server.get_consent_grant(end_user=User())
    if request.method == "GET":
        return '<form method="post"><button name="agree" value="yes">Allow</button></form>'
    return server.create_authorization_response(grant_user=User(), grant=grant)


@app.post("/token")
def token():
    return server.create_token_response()


@app.post("/<any(register, revoke, introspect):what>")
def endpoint(what):
    names = {"register": Registration, "revoke": Revocation, "introspect": Introspection}
    return server.create_endpoint_response(names[what].ENDPOINT_NAME)


app.run("127.0.0.1", port, threaded=True)
