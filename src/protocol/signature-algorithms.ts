/** JWS algorithms with a public key. A verifier shares no secret with the signer, so no others are useful. */
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
