/**
 * The messages with which providers refuse the reasoning of earlier turns: because another account or provider made it, or
 * because a client changed it.
 */
const refusalPatterns: readonly RegExp[] = [
  // OpenAI, Azure, xAI
  /encrypted[ _]content.{0,300}(?:(?:could not|cannot) be (?:verified|decrypted|parsed)|did not match)/is,
  // OpenAI searches for reasoning without its content among stored responses.
  /item with id '?"?rs_\w+'?"? not found/i,
  // Anthropic, also at Amazon and Google
  /invalid [`'"]?(?:signature|data)[`'"]? in [`'"]?(?:redacted_)?thinking/i,
  /thinking\.signature: field required/i,
  /thinking[`'"]? (?:or [`'"]?redacted_thinking[`'"]? )?blocks .{0,80}cannot be modified/is,
  // Google
  /(?:corrupted|invalid) thought[ _]?signature|thought[ _]?signature is (?:not valid|invalid)/i,
]

/** Whether an error says that the provider cannot verify the reasoning of earlier turns. */
export const isReasoningRefusal = (code: string | undefined, message: string): boolean =>
  code === 'invalid_encrypted_content' || refusalPatterns.some((pattern) => pattern.test(message))
