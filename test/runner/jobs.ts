/** Test files that run in one process, and variables of its environment. */
export type Job = { name: string; files: string[]; env?: Record<string, string> }

type Selection = {
  /** Include the files that `npm test` leaves to `npm run test:all`. */
  all: boolean
  /** Only the files of `npm run test:long`. */
  long: boolean
  /** Exclude the files that `npm test` runs. */
  skipQuick: boolean
  /** Parts of paths. If there are any, every file with one of them is selected. */
  words: string[]
}

/** Files over twelve seconds, and files that start a browser. */
const slowFolders = ['test/slow/', 'test/console/']
/** Each has an npm script, because it needs more than this repository and Debian's packages. */
const ownScripts = ['test/optional/', 'test/cluster/', 'test/kubernetes/']

/** The files that take over 30 seconds and mostly wait. They start first, so that none of them runs alone at the end. */
export const longest = [
  'interns/limits/intern-limits',
  'processes/crash',
  'money/budgets',
  'interns/limits/intern-budget',
  'interns/lifecycle/interns-supervision',
  'gateway/abandoned-requests',
  'processes/rolling-restart',
  'operations/webhooks',
  'processes/workers',
  'docs',
  'interns/lifecycle/intern-sleep',
  'interns/limits/interns-usage',
  'interns/lifecycle/interns-faults',
  'interns/files/intern-repository',
  'interns/turns/answer-links',
  'processes/start',
  'interns/files/intern-files',
  'interns/lifecycle/interns-lifecycle',
  'money/money-kills',
  'money/money',
  'database/database-away',
].map((name) => `test/slow/${name}.test.ts`)

/** Random or repeated attempts, kills at many moments, and long observations, for which CI has no time: `npm run test:long`. */
export const longRuns = [
  'test/slow/operations/soak.test.ts',
  'test/slow/fuzz.test.ts',
  'test/slow/gateway/prompt-memory.test.ts',
  'test/slow/interns/lifecycle/interns-on-remote-hosts.test.ts',
  'test/slow/operations/alerts.test.ts',
  'test/slow/operations/alerts-silent.test.ts',
  'test/slow/database/fail-over.test.ts',
  'test/slow/interns/limits/intern-budget-kills.test.ts',
  'test/slow/interns/lifecycle/intern-kills.test.ts',
  'test/slow/money/disconnect-charges.test.ts',
  'test/slow/interns/turns/longest-turn.test.ts',
  'test/console/texts/hostile-names.test.ts',
  'test/console/texts/hostile-screens.test.ts',
  'test/console/texts/hostile-texts.test.ts',
]

/** Files that CI runs with few repetitions, and the variables with which `npm run test:long` repeats them more often. */
export const longerRuns: Record<string, Record<string, string>> = {
  'test/slow/money/money.test.ts': { HISTORIES: '5000' },
  'test/slow/processes/crash.test.ts': { CRASH_ROUNDS: '30' },
  'test/slow/interns/turns/interns-histories.test.ts': { HISTORY_SECONDS: '120' },
  'test/interns/intern-files-attack.test.ts': { FILES_ATTACK_ROUNDS: '400' },
  'test/translation/tool-call-splits.test.ts': { TOOL_CALL_SPLITS: '200' },
}

export function selectFiles(files: string[], { all, long, skipQuick, words }: Selection): string[] {
  if (words.length > 0) return files.filter((file) => words.some((word) => file.includes(word)))
  return files.filter((file) => {
    if (isIn(ownScripts, file)) return false
    if (long) return longRuns.includes(file) || file in longerRuns
    if (longRuns.includes(file)) return false
    return isSlow(file) ? all : !skipQuick
  })
}

/**
 * One job per room of `src/`, one for the console, one per folder of quick tests, and one per slow file. A process that runs
 * several files loads the service once, which takes four seconds of processor time.
 */
export function jobsOf(files: string[]): Job[] {
  const rooms = new Map<string, string[]>()
  for (const file of files.filter((path) => !runsAlone(path)).sort()) {
    const room = roomOf(file)
    rooms.set(room, [...(rooms.get(room) ?? []), file])
  }
  const largestFirst = [...rooms].sort(([, a], [, b]) => b.length - a.length)
  return [
    ...longest.filter((file) => files.includes(file)).map(jobOf),
    ...largestFirst.map(([name, members]) => ({ name, files: members })),
    ...spreadBrowserFiles(files.filter((file) => runsAlone(file) && !longest.includes(file)).sort()).map(jobOf),
  ]
}

const runsAlone = (file: string) => isIn([...slowFolders, ...ownScripts], file) || file in longerRuns

function roomOf(file: string): string {
  const [top, folder] = file.split('/') as [string, string]
  if (top === 'console') return top
  return folder.endsWith('.ts') ? top : `${top}/${folder}`
}

/** Spreads the files that start a browser, which compute, among those that mostly wait. */
function spreadBrowserFiles(files: string[]): string[] {
  const [browser, other] = [files.filter(startsBrowser), files.filter((file) => !startsBrowser(file))]
  const distance = Math.max(1, Math.floor(other.length / Math.max(1, browser.length)))
  return [
    ...other.flatMap((file, index) => (index % distance === 0 ? [...browser.splice(0, 1), file] : [file])),
    ...browser,
  ]
}

const startsBrowser = (file: string) => file.startsWith('test/console/')

/** Whether `npm test` leaves the file to `npm run test:all`. */
const isSlow = (file: string) => isIn(slowFolders, file)

const isIn = (folders: string[], file: string) => folders.some((folder) => file.startsWith(folder))
const jobOf = (file: string): Job => ({ name: file, files: [file] })
