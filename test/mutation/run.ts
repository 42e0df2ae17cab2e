import { hash } from 'node:crypto'
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { type Coverage, coverageOf, covers, sizeOf } from './coverage.ts'
import { type Equivalent, equivalents } from './equivalents.ts'
import { openMemory } from './memory.ts'
import { type Mutant, mutantsOf } from './mutants.ts'
import { runTests } from './run-tests.ts'

/**
 * Changes the code at random places, one at a time, and runs the tests that come by there: how many of the changes do
 * they notice? `npm run test:mutants -- --seed 7 --count 300 --only src/spend/budgets`; then `--again <file>` tries only those
 * that lived by what an earlier run printed. `--tests src/` runs only those beside the code: quicker, and who dies, dies.
 */
const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '')
const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: '300' },
    only: { type: 'string', default: 'src/' },
    tests: { type: 'string', default: '' },
    again: { type: 'string' },
    jobs: { type: 'string', default: String(Math.max(2, Math.floor(availableParallelism() / 2))) },
  },
})
const areas = ['budgets', 'guardrails', 'routing', 'accounts', 'interns', 'db'].map((area) => `src/${area}/`)
const wantedShare = 0.92
/** Every test comes by a schema; this one sees what the API's description says of it. */
const ofSchemas = 'test/documents/openapi.test.ts'
/** For how long tests are run that may notice a mutant, by the time they take without it. */
const mostMs = 90_000
/** Tests that take minutes, need missing programs, or only test code outside of `src/`. */
const skippedFiles = new RegExp(
  [
    '^test/([a-z-]+/)*(soak|crash|stall|docs|sighup|fuzz|optional|cluster|mutation|conformance|greedy|intern-flood|filter-corpus|rolling|intern-limits)',
    '^test/([a-z-]+/)*(interns-(histories|faults|supervision)|agent-process|daemon-process|lying-upstreams|generated-docs)',
    '^src/(agent|catalogue|cli(?!/database)|config|daemon|demo|filters|measure)/',
  ].join('|'),
)

const sources = new Map(
  globSync('src/**/*.ts', { cwd: root })
    .filter((file) => areas.some((area) => file.startsWith(area)) && !file.endsWith('.test.ts'))
    .filter((file) => file.includes(values.only))
    .map((file) => [file, readFileSync(join(root, file), 'utf8')]),
)
const tests = globSync(['src/**/*.test.ts', 'test/**/*.test.ts'], { cwd: root }).filter(
  (file) => file.startsWith(values.tests) && !skippedFiles.test(file),
)
const copies = Array.from({ length: Number(values.jobs) }, copyOfTree)
process.on('exit', () => {
  for (const copy of copies) rmSync(copy, { recursive: true, force: true })
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1))

const lived = values.again && readFileSync(values.again, 'utf8')
const chosen = choose([...sources].flatMap(([file, source]) => mutantsOf(file, source))).filter(
  (mutant) => !lived || lived.includes(`: ${describeMutant(mutant)}\n`),
)
const memory = openMemory(root, sources)
const covered = await each(tests, async (test, copy): Promise<Coverage> => {
  const coverage = memory.coverageOf(test)
  if (coverage) return { test, passed: true, ...coverage }
  const found = await coverageOf(copy, test, sources)
  memory.keepCoverage(found)
  return found
})
memory.save()
for (const { test, passed } of covered) if (!passed) console.log(`skipped, because it fails without a mutant: ${test}`)
console.log(`${covered.length} files of tests were run to see what they come by`)
const usable = covered.filter(({ passed }) => passed)

let tried = 0
const outcomes = await each(chosen, async (mutant, copy) => {
  const outcome = equivalents.some((equivalent) => isThat(equivalent, mutant))
    ? 'equivalent'
    : await tryOut(mutant, copy)
  tried++
  if (tried % 20 === 0) memory.save()
  if (outcome !== 'killed') console.log(`${tried} of ${chosen.length}, ${outcome}: ${describeMutant(mutant)}`)
  return outcome
})
memory.save()
const count = (outcome: string) => outcomes.filter((each) => each === outcome).length
const share = count('killed') / (outcomes.length - count('equivalent'))
console.log(`${count('killed')} of ${outcomes.length - count('equivalent')} killed: ${(share * 100).toFixed(1)} %`)
console.log(`${count('equivalent')} are equivalent by the list in equivalents.ts; seed ${values.seed}`)
process.exit(share >= wantedShare ? 0 : 1)

/**
 * Runs the tests of a mutant until one fails: first the test that detected it in the last run, then those beside the code or
 * named like it, then those that cover most of it in the least time. Code that runs while a file is loaded, such as a
 * schema, is covered by every test; the names decide then.
 */
async function tryOut(mutant: Mutant, copy: string): Promise<'killed' | 'lived' | 'lived, run by no test'> {
  const coming = comingBy(mutant)
  if (coming.length === 0) return 'lived, run by no test'
  const source = sources.get(mutant.file)!
  const path = join(copy, mutant.file)
  writeFileSync(path, source.slice(0, mutant.start) + mutant.to + source.slice(mutant.end))
  try {
    for (const group of inGroups(coming, mutant)) {
      const timeoutMs = 15_000 + 6 * group.reduce((sum, { ms }) => sum + ms, 0)
      const files = group.map(({ test }) => test)
      const env = { NODE_COMPILE_CACHE: join(copy, '.cache') }
      const failed = await runTests(copy, files, { timeoutMs, env })
      if (!failed) continue
      // On a busy machine one of many may fail by chance: it counts when it fails again, or did so in an earlier run.
      const repeated = files.includes(failed) ? [failed] : files
      const isKnown = failed === memory.killerOf(nameOf(mutant))
      if (!isKnown && !(await runTests(copy, repeated, { timeoutMs, env }))) continue
      memory.keepKiller(nameOf(mutant), failed)
      return 'killed'
    }
    return 'lived'
  } finally {
    writeFileSync(path, source)
  }
}

function comingBy(mutant: Mutant): Coverage[] {
  const noun = basename(mutant.file, '.ts').replace(/s$/, '')
  const killer = memory.killerOf(nameOf(mutant))
  const near = ({ test, ms }: Coverage) =>
    4 * Number(test === killer) +
    (ms < mostMs ? 2 * Number(test.includes(noun)) + Number(dirname(test) === dirname(mutant.file)) : 0)
  const worth = (each: Coverage) => sizeOf(each, mutant.file) / (500 + each.ms)
  const coming = usable.filter((each) => covers(each, mutant.file, mutant.start))
  coming.sort((a, b) => near(b) - near(a) || worth(b) - worth(a))
  return coming
}

/** A process for each few files: most mutants die in the first. All but those beside the code take a minute or so. */
function inGroups(coming: Coverage[], { file }: Mutant): Coverage[][] {
  let ms = 0
  const tried = coming.filter((each, at) => {
    if (isBeside(each, file) || each.test === ofSchemas) return true
    const fits = at === 0 || ms + each.ms < mostMs
    if (fits) ms += each.ms
    return fits
  })
  const groups = [tried.slice(0, 1), tried.slice(1, 5), tried.slice(5, 12), tried.slice(12)]
  return groups.filter((group) => group.length > 0)
}

/** In its folder, or in one above it. */
function isBeside({ test }: Coverage, file: string): boolean {
  return file.startsWith(`${dirname(test)}/`)
}

function nameOf(mutant: Mutant): string {
  return hash('sha256', JSON.stringify([mutant.file, lineOf(mutant), mutant.from, mutant.to]))
}

function isThat({ file, line, from, to }: Equivalent, mutant: Mutant): boolean {
  if (file !== mutant.file || from !== mutant.from || to !== mutant.to) return false
  return lineOf(mutant) === line
}

function describeMutant({ file, line, from, to }: Mutant): string {
  const short = (text: string) => text.replace(/\s+/g, ' ').slice(0, 100)
  return `${file}:${line}: ${short(from)} → ${short(to)}`
}

/** A copy of all files that git tracks, including changes, with the installed packages. */
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

/** As many as wanted, the same for the same seed; where the code has changed since, most of them still are. */
function choose(mutants: Mutant[]): Mutant[] {
  const seen = new Map<string, number>()
  const ranked = mutants.map((mutant) => {
    const { file, from, to } = mutant
    const name = JSON.stringify([values.seed, file, lineOf(mutant), from, to])
    seen.set(name, (seen.get(name) ?? 0) + 1)
    return { mutant, rank: hash('sha256', `${name} ${seen.get(name)}`) }
  })
  ranked.sort((a, b) => (a.rank < b.rank ? -1 : 1))
  return ranked.slice(0, Number(values.count)).map(({ mutant }) => mutant)
}

function lineOf({ file, line }: Mutant): string {
  return sources.get(file)!.split('\n')[line - 1]!.trim()
}
