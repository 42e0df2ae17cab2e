/** @returns the text of a file. @throws Error whose message follows the name of the file, for a binary file */
export function textOf(bytes: Buffer): string {
  if (bytes.subarray(0, 8192).includes(0))
    throw new Error(
      `is a binary file of ${bytes.length} bytes: look at it with the shell, such as with file or od -A d -t x1z`,
    )
  return bytes.toString('utf8')
}

/** As `textOf`, for text that is written back: bytes that are not UTF-8 would be lost. */
export function exactTextOf(bytes: Buffer): string {
  const text = textOf(bytes)
  if (!Buffer.from(text).equals(bytes)) throw new Error('is not UTF-8 text, so it cannot be edited')
  return text
}
