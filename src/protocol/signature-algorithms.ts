/** The JWS algorithms that the library supports. All have a public key, because a verifier shares no secret with the signer. */
export const signatureAlgorithms: readonly string[] = [
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
  "PS256",
  "PS384",
  "PS512",
  "RS256",
  "RS384",
  "RS512",
];
