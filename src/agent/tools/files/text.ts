/** Whether a content is binary: like git, this looks for a zero byte near the start. */
export const isBinary = (bytes: Buffer) => bytes.subarray(0, 8192).includes(0)

/** @returns the text of a file. @throws Error for a binary file; the caller prefixes its message with the file's name */
export function decodeText(bytes: Buffer): string {
  if (isBinary(bytes))
    throw new Error(
      `is a binary file of ${bytes.length} bytes: look at it with the shell, such as with file or od -A d -t x1z`,
    )
  return bytes.toString('utf8')
}

/** Like `decodeText`, but refuses bytes that are not UTF-8: they would be lost when the text is written back. */
export function decodeExactText(bytes: Buffer): string {
  const text = decodeText(bytes)
  if (!Buffer.from(text).equals(bytes)) throw new Error('is not UTF-8 text, so it cannot be edited')
  return text
}
