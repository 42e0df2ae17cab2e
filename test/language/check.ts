import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { findDenied } from './count-phrases.ts'
import { findLongTestNames } from './long-test-names.ts'
import { findUnknownNames } from './unknown-names.ts'

/**
 * Checks the language of code and documents. Each file may have at most as many denied phrases as the ratchet allows;
 * a file that the ratchet does not list may have none. Comments name only what the code has. Names of tests fit a line. Commit subjects have the form
 * `area: summary`.
 *
 *   node test/language/check.ts                 check everything
 *   node test/language/check.ts --lower         write lower counts into the ratchet
 *   node test/language/check.ts --list PATH …   list the hits in these files or folders
 */
const root = fileURLToPath(new URL('../..', import.meta.url))
process.chdir(root)

const ratchetFile = 'test/language/ratchet.json'
/** The last commit whose subject is not checked. */
const firstCommit = '255dc540'
const subject = /^[a-z0-9][a-z0-9/,. -]*: \S.*[^.]$/
const maxSubject = 72

const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8', maxBuffer: 1e9 })
/** Migrations are excluded, because they never change. */
const isChecked = (path: string) =>
  /\.(ts|tsx|js|mjs|md|sh|yml|yaml|css|html)$|^\.ci\//.test(path) &&
  !/^(test\/language|tools\/layout|src\/platform\/db\/migrations)\//.test(path) &&
  !/^(console\/api\/types\.ts|test\/recordings\/|test\/filter-corpus\/)/.test(path)

const isCode = (path: string) => /\.(ts|tsx|js|mjs)$/.test(path)

const args = process.argv.slice(2)
const files = git('ls-files', '-z', '--cached', '--others', '--exclude-standard')
  .split('\0')
  .filter((path) => path && isChecked(path) && existsSync(path))

if (args[0] === '--list') list(args.slice(1))
else if (args[0] === '--lower') lower()
else process.exit(check() ? 0 : 1)

function list(paths: string[]): void {
  for (const path of files.filter((file) => paths.some((part) => file.startsWith(part)))) {
    for (const { line, text, instead } of findDenied(path, readFileSync(path, 'utf8'))) {
      console.log(`${path}:${line}: "${text}" (write: ${instead})`)
    }
  }
}

function countHits(): Map<string, number> {
  return new Map(files.map((path) => [path, findDenied(path, readFileSync(path, 'utf8')).length]))
}

function lower(): void {
  const counts = [...countHits()].filter(([, count]) => count > 0).sort(([a], [b]) => (a < b ? -1 : 1))
  writeFileSync(ratchetFile, `${JSON.stringify(Object.fromEntries(counts), null, 2)}\n`)
  console.log(`${counts.reduce((sum, [, count]) => sum + count, 0)} phrases in ${counts.length} files`)
}

function check(): boolean {
  const ratchet = JSON.parse(readFileSync(ratchetFile, 'utf8')) as Record<string, number>
  const worse = [...countHits()].filter(([path, count]) => count > (ratchet[path] ?? 0))
  for (const [path, count] of worse) {
    console.log(`${path}: ${count} denied phrases, ${ratchet[path] ?? 0} allowed`)
    list([path])
  }
  const subjects = checkSubjects()
  for (const one of subjects)
    console.log(`Commit subject must be "area: summary", at most ${maxSubject} characters: ${one}`)
  const code = new Map(files.filter(isCode).map((path) => [path, readFileSync(path, 'utf8')]))
  const unknown = findUnknownNames(code)
  for (const one of unknown) console.log(`A comment names something that no code has: ${one}`)
  const longNames = findLongTestNames(code)
  for (const one of longNames) console.log(`The name of a test has over 80 characters: ${one}`)
  return [worse, subjects, unknown, longNames].every(({ length }) => length === 0)
}

/** Subjects of commits since the rule that break it. None where git has no history, as in an archive. */
function checkSubjects(): string[] {
  try {
    const subjects = git('log', '--no-merges', '--format=%s', `${firstCommit}..HEAD`).split('\n').filter(Boolean)
    return subjects.filter((one) => one.length > maxSubject || !subject.test(one))
  } catch {
    return []
  }
}
