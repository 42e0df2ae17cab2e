import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { chanceFrom } from '../fuzz/chance.ts'
import { type Coverage, coverageOf } from './coverage.ts'
import { type Equivalent, equivalents } from './equivalents.ts'
import { type Mutant, mutantsOf } from './mutants.ts'
import { runTests } from './run-tests.ts'

/**
 * Changes the code at random places, one at a time, and runs the tests that come by there: how many of the changes do
 * they notice? `npm run test:mutants -- --seed 7 --count 300 --only src/budgets`
 */
const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '')
const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: '300' },
    only: { type: 'string', default: 'src/' },
    jobs: { type: 'string', default: String(Math.max(2, Math.floor(availableParallelism() / 2))) },
  },
})
const areas = ['budgets', 'guardrails', 'routing', 'accounts', 'interns', 'db'].map((area) => `src/${area}/`)
const wantedShare = 0.92
/** Those that take minutes, need what is not here, or try only what lies elsewhere. */
const leftOut = new RegExp(
  [
    '^test/(soak|crash|stall|docs|sighup|fuzz|optional|cluster|mutation|conformance|greedy|filter-corpus|rolling)',
    '^test/(interns-(histories|faults|supervision)|agent-process|daemon-process|lying-upstreams|generated-docs)',
    '^src/(agent|catalogue|cli|config|daemon|demo|filters|measure)/',
  ].join('|'),
)

const sources = new Map(
  globSync('src/**/*.ts', { cwd: root })
    .filter((file) => areas.some((area) => file.startsWith(area)) && !file.endsWith('.test.ts'))
    .filter((file) => file.includes(values.only))
    .map((file) => [file, readFileSync(join(root, file), 'utf8')]),
)
const tests = globSync(['src/**/*.test.ts', 'test/**/*.test.ts'], { cwd: root }).filter((file) => !leftOut.test(file))
const copies = Array.from({ length: Number(values.jobs) }, copyOfTree)
process.on('exit', () => {
  for (const copy of copies) rmSync(copy, { recursive: true, force: true })
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1))

const chosen = choose([...sources].flatMap(([file, source]) => mutantsOf(file, source)))
const covered = await each(tests, (test, copy) => coverageOf(copy, test, sources))
for (const { test, passed } of covered) if (!passed) console.log(`left out, since it fails unchanged: ${test}`)
console.log(`${covered.length} files of tests were run to see what they come by`)
const usable = covered.filter(({ passed }) => passed)

let tried = 0
const outcomes = await each(chosen, async (mutant, copy) => {
  const outcome = equivalents.some((known) => isThat(known, mutant)) ? 'equivalent' : await tryOut(mutant, copy)
  tried++
  if (outcome !== 'killed') console.log(`${tried} of ${chosen.length}, ${outcome}: ${told(mutant)}`)
  return outcome
})
const count = (outcome: string) => outcomes.filter((each) => each === outcome).length
const share = count('killed') / (outcomes.length - count('equivalent'))
console.log(`${count('killed')} of ${outcomes.length - count('equivalent')} killed: ${(share * 100).toFixed(1)} %`)
console.log(`${count('equivalent')} are equivalent by the list in equivalents.ts; seed ${values.seed}`)
process.exit(share >= wantedShare ? 0 : 1)

/**
 * The tests beside the code and those named like it first, then those that run most of it; the first that fails ends it.
 * What is run when a file is loaded, such as a schema, is come by in every test: names then tell which try it.
 */
async function tryOut(mutant: Mutant, copy: string): Promise<'killed' | 'lived' | 'lived, run by no test'> {
  const noun = basename(mutant.file, '.ts').replace(/s$/, '')
  const near = ({ test }: Coverage) => Number(dirname(test) === dirname(mutant.file)) + 2 * Number(test.includes(noun))
  const coming = usable.filter(({ covers }) => covers(mutant.file, mutant.start))
  coming.sort((a, b) => near(b) - near(a) || b.share(mutant.file) - a.share(mutant.file) || a.ms - b.ms)
  if (coming.length === 0) return 'lived, run by no test'
  const source = sources.get(mutant.file)!
  const path = join(copy, mutant.file)
  writeFileSync(path, source.slice(0, mutant.start) + mutant.to + source.slice(mutant.end))
  try {
    for (const group of inGroups(coming)) {
      const timeoutMs = 30_000 + 6 * group.reduce((sum, { ms }) => sum + ms, 0)
      const files = group.map(({ test }) => test)
      if (!(await runTests(copy, files, { timeoutMs }))) return 'killed'
    }
    return 'lived'
  } finally {
    writeFileSync(path, source)
  }
}

/** A process for each few files: most mutants die in the first. */
function inGroups(coming: Coverage[]): Coverage[][] {
  const most = 40
  return [coming.slice(0, 3), coming.slice(3, 9), coming.slice(9, 20), coming.slice(20, most)].filter(
    (group) => group.length > 0,
  )
}

function isThat({ file, line, from, to }: Equivalent, mutant: Mutant): boolean {
  if (file !== mutant.file || from !== mutant.from || to !== mutant.to) return false
  return sources.get(file)!.split('\n')[mutant.line - 1]!.trim() === line
}

function told({ file, line, from, to }: Mutant): string {
  const short = (text: string) => text.replace(/\s+/g, ' ').slice(0, 100)
  return `${file}:${line}: ${short(from)} → ${short(to)}`
}

/** The sources as git has them, changed or not, with what is installed. */
function copyOfTree(): string {
  const copy = mkdtempSync(join(tmpdir(), 'signalbox-mutants-'))
  const skipped = new Set(['node_modules', '.git', 'data'])
  cpSync(root, copy, { recursive: true, filter: (path) => !skipped.has(path.slice(root.length + 1)) })
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  return copy
}

/** Works on all, each copy of the tree on one at a time. */
async function each<T, R>(items: T[], work: (item: T, copy: string) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  const entries = items.entries()
  const worker = async (copy: string) => {
    for (const [at, item] of entries) results[at] = await work(item, copy)
  }
  await Promise.all(copies.map(worker))
  return results
}

/** As many as wanted, the same for the same seed. */
function choose(mutants: Mutant[]): Mutant[] {
  const { below } = chanceFrom(Number(values.seed))
  const left = [...mutants]
  const wanted = Math.min(Number(values.count), left.length)
  return Array.from({ length: wanted }, () => left.splice(below(left.length), 1)[0]!)
}
