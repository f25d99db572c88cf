// The one rule for what is secret. Written by `scripts/docs` from secret_fields.py; do not edit.
const SECRET =
  /^(?!(?:(?:.*_)?page_token|(?:max|min|total)(?:_.*)?_tokens|(?:.*_)?tokens_per_.*)$)(?!.*_(?:id|ids|name|names|ttl|second|seconds|minute|minutes|hour|hours|day|days|at|until|expires|expiry|age|type|kind|count|length|size|limit|url|uri|endpoint|path|file|version|policy|required|enabled|ref|header|algorithm|status|state|scope|scopes|issuer|audience)$)(?:.*_)?(?:[a-z0-9]*(?:token|secret|password|passwd|passphrase|credential)|pwd|psk|authorization|(?:api|app|private|secret|signing|encryption|decryption|access|master|session|auth|shared|preshared|hmac|aes|jwt|tls|ssl|deploy|license|licence|webhook|storage|client|server|root|recovery|activation)_?key)s?[0-9]*(?:_.*)?$/;

/** Whether a field of this name holds a secret. */
export const isSecret = (field: string) =>
  SECRET.test(
    field
      .slice(-200)
      .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
      .replace(/([A-Z])([A-Z][a-z])/g, "$1_$2")
      .replace(/[^A-Za-z0-9]+/g, "_")
      .toLowerCase(),
  );
