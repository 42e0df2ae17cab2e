/** What a command did not do though it looks as if it did, told with its result: models take it for done. */
export function withHints(command: string, result: string): string {
  const hints = [
    leftOut.test(result) && 'To see what was left out, run it again through grep, head or tail.',
    leavesRunning(command) && 'What it started with & was ended with it: what is to go on is for start_process.',
    onlyMoves.test(command) &&
      'Nothing carries over: the next command starts in the workspace again. Do it in one command: cd folder && …',
  ].filter((hint) => hint !== false)
  return [result, ...hints.map((hint) => `[${hint}]`)].join('\n')
}

const leftOut = /\n… \d+ bytes left out …\n/

const longestRead = 4000

const onlyMoves = /^\s*(cd\s+[^;&|\n]+|export\s+\w+=[^;&|\n]*|source\s+[^;&|\n]+)\s*$/

/** Whether a command goes on behind the others and is not waited for. What is quoted is none. */
function leavesRunning(command: string): boolean {
  // What begins again and again and never ends is looked through to the end each time.
  if (command.length > longestRead) return false
  const bare = command
    .replace(/<<-?\s*['"]?(\w+)['"]?.*?^\s*\1$/gms, '_')
    .replace(/\\.|'[^']*'|"(?:[^"\\]|\\.)*"|\(\(.*?\)\)/gs, '_')
    .replace(/(?<=^|\s)#.*$/gm, '')
  return /(?<![&<>|])&(?=\s|$|\)|;)/.test(bare) && !/\bwait\b/.test(bare)
}
