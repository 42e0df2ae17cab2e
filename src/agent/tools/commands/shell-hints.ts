/** Appends hints to a command's result about effects that models wrongly assume. */
export function addHints(command: string, result: string): string {
  const hints = [
    truncationMark.test(result) && 'To see the omitted output, run it again through grep, head or tail.',
    startsBackgroundProcess(command) &&
      'What it started with & was ended with it. Use start_process for what must keep running.',
    setupCommand.test(command) &&
      'Nothing carries over: the next command starts in the workspace again. Do it in one command: cd folder && …',
  ].filter((hint) => hint !== false)
  return [result, ...hints.map((hint) => `[${hint}]`)].join('\n')
}

const truncationMark = /\n… \d+ bytes omitted …\n/

const maxReadLength = 4000

const setupCommand = /^\s*(cd\s+[^;&|\n]+|export\s+\w+=[^;&|\n]*|source\s+[^;&|\n]+)\s*$/

/** Returns whether the script starts a command with `&` and does not wait for it. Ignores quoted text. */
function startsBackgroundProcess(command: string): boolean {
  // Bounds the time: an expression below is quadratic for text with many unclosed quotes or here-documents.
  if (command.length > maxReadLength) return false
  // Replaces here-documents, then quoted text and arithmetic, and removes comments.
  const unquoted = command
    .replace(/<<-?\s*['"]?(\w+)['"]?.*?^\s*\1$/gms, '_')
    .replace(/\\.|'[^']*'|"(?:[^"\\]|\\.)*"|\(\(.*?\)\)/gs, '_')
    .replace(/(?<=^|\s)#.*$/gm, '')
  return /(?<![&<>|])&(?=\s|$|\)|;)/.test(unquoted) && !/\bwait\b/.test(unquoted)
}
