const maxLength = 500

/**
 * Returns the part of a program's error output that explains its end: the last line that names an error, or the last three
 * lines. The last line of a stack trace explains nothing.
 */
export function findEndReason(errorOutput: string): string {
  const lines = errorOutput.split('\n').filter((line) => line.trim() !== '')
  const errorLine = lines.findLast((line) => /^(\w+ )*\w*(error|exception|panic)\b.*:/i.test(line))
  return (errorLine ?? lines.slice(-3).join(' ')).trim().slice(-maxLength)
}
