import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, join, normalize } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { retiredWords } from './retired-words.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

/**
 * The rooms and folders from which each room of src/ can import values, in addition to itself and `platform/core`. It can
 * import types also from those in `mayImportTypes`.
 */
const mayImport: Record<string, string[]> = {
  platform: [],
  chat: ['platform'],
  identity: ['platform'],
  webhooks: ['platform', 'identity'],
  catalogue: ['platform', 'identity'],
  spend: ['platform', 'chat', 'identity', 'webhooks'],
  policy: ['platform', 'chat', 'identity', 'catalogue', 'spend'],
  gateway: ['platform', 'chat', 'identity', 'webhooks', 'catalogue', 'spend', 'policy'],
  interns: ['platform', 'chat', 'identity', 'webhooks'],
  provision: ['platform', 'identity', 'interns', 'webhooks'],
  daemon: ['platform', 'chat', 'interns/contract'],
  agent: ['platform', 'chat'],
  api: ['platform', 'chat', 'identity', 'webhooks', 'catalogue', 'spend', 'policy', 'gateway', 'interns', 'provision'],
  app: ['*'],
  // Commands that work without a server read catalogues, filters and accounts themselves.
  cli: [
    'platform',
    'app',
    'api/access',
    'api/server',
    'catalogue',
    'policy',
    'identity',
    'gateway/presets',
    'interns',
    'webhooks',
  ],
}
const mayImportTypes: Record<string, string[]> = {
  daemon: ['interns/registry'],
  cli: ['*'],
}
/** The folders of the gateway. Each imports values only from folders of the same level and of lower levels. */
const gatewayLevels = [
  ['gateway'],
  ['gateway/late-costs'],
  ['gateway/attempt'],
  ['gateway/record', 'gateway/plan', 'gateway/admission', 'gateway/request'],
  ['gateway/clients', 'gateway/providers'],
  ['gateway/pricing', 'gateway/media', 'gateway/presets', 'gateway/protocol'],
]

type Edge = { from: string; to: string; isType: boolean }

const sources = globSync(['src/**/*.ts', 'bin/*.ts', 'console/**/*.{ts,tsx}'], { cwd: root }).filter(
  (file) => !file.endsWith('.test.ts') && file !== 'console/api/types.ts',
)
const importLine =
  /(?:^|\n)(?:import|export)(\s+type\b)?([^;'"]*?)\bfrom\s*'([^']+)'|\bimport\(\s*'([^']+)'|(?:^|\n)import\s+'([^']+)'/g

const edges: Edge[] = sources.flatMap((from) =>
  [...readFileSync(join(root, from), 'utf8').matchAll(importLine)].flatMap(
    ([, type, names = '', named, called, bare]) => {
      const target = named ?? called ?? bare ?? ''
      const isType = type !== undefined || importsOnlyTypes(names)
      if (target.startsWith('#')) return [{ from, to: `src/${target.slice(1)}`, isType }]
      if (target.startsWith('.')) return [{ from, to: normalize(join(dirname(from), target)), isType }]
      return []
    },
  ),
)

/** True of `{ type A, type B }`. */
function importsOnlyTypes(names: string): boolean {
  const each = names
    .replace(/[{}]/g, '')
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean)
  return each.length > 0 && each.every((name) => name.startsWith('type '))
}

const folderOf = (file: string) => file.split('/')[1] ?? ''
/** A room and its folder: `gateway/plan`, or `gateway` for a file at the top of the room. */
const subfolderOf = (file: string) => file.split('/').slice(1, -1).slice(0, 2).join('/')
const isInSource = ({ from, to }: Edge) => from.startsWith('src/') && to.startsWith('src/')

test('a room imports only the rooms that the layout allows', () => {
  const wrong = edges.filter(isInSource).filter(({ from, to, isType }) => {
    const room = folderOf(from)
    if (room === folderOf(to) || subfolderOf(to) === 'platform/core') return false
    const allowed = [...(mayImport[room] ?? []), ...(isType ? (mayImportTypes[room] ?? []) : [])]
    return !allowed.some((one) => one === '*' || one === folderOf(to) || one === subfolderOf(to))
  })
  assert.deepEqual(wrong, [])
})

/** The imports by value between different folders of a room. */
const folderEdges = edges
  .filter((edge) => isInSource(edge) && !edge.isType && folderOf(edge.from) === folderOf(edge.to))
  .map(({ from, to }) => ({ from: subfolderOf(from), to: subfolderOf(to) }))
  .filter(({ from, to }) => from !== to)

test('folders of a room do not import each other in a circle by value', () => {
  assert.deepEqual(circlesOf(folderEdges), [])
})

test('a folder of the gateway imports values only from its level and below', () => {
  const levelOf = new Map(gatewayLevels.flatMap((folders, level) => folders.map((folder) => [folder, level] as const)))
  const ofGateway = folderEdges.filter(({ from }) => folderOf(`src/${from}`) === 'gateway')
  assert.notEqual(ofGateway.length, 0)
  const wrong = ofGateway.filter(({ from, to }) => !(levelOf.get(from)! <= levelOf.get(to)!))
  assert.deepEqual(wrong, [])
})

test('the processes beside an intern load no Zod, which needs 12 MB', () => {
  const next = Map.groupBy(
    edges.filter(({ isType }) => !isType),
    (edge) => edge.from,
  )
  const importer = new Map<string, string>()
  const visit = (file: string) => {
    for (const { to } of next.get(file) ?? []) {
      if (importer.has(to)) continue
      importer.set(to, file)
      visit(to)
    }
  }
  for (const file of ['bin/daemon.ts', 'bin/files.ts', 'bin/files-in-pod.ts']) visit(file)
  const importPath: string[] = []
  for (let file = importer.get('src/platform/json/schema.ts'); file; file = importer.get(file)) importPath.push(file)
  assert.deepEqual(importPath, [])
})

test('platform/core imports nothing outside of itself', () => {
  const wrong = edges.filter(
    ({ from, to }) => subfolderOf(from) === 'platform/core' && subfolderOf(to) !== 'platform/core',
  )
  assert.deepEqual(
    wrong.filter(({ to }) => to.startsWith('src/')),
    [],
  )
})

/** The folders of the console that all screens can import, and what they can import of each other. */
const consoleMayImport: Record<string, string[]> = { format: [], api: ['format'], components: ['format', 'api'] }

test('the console imports only types of the service, and a screen no other screen', () => {
  const wrong = edges.filter(({ from, to }) => {
    if (!from.startsWith('console/')) return to.startsWith('console/')
    if (!to.startsWith('console/')) return true
    // The files that start the app are outside of its folders, and in the one for the service.
    if (from.split('/').length === 2 || from.startsWith('console/server/')) return false
    const [a, b] = [folderOf(from), folderOf(to)]
    return a !== b && !(consoleMayImport[a] ?? Object.keys(consoleMayImport)).includes(b)
  })
  assert.deepEqual(wrong, [])
})

test('no component has a property "key", which Preact does not pass on', () => {
  const named = /^(?:export )?(?:function|const) [A-Z]\w*(?: = )?\(\{(?:[^}]*,)?\s*key\s*[,}]/m
  assert.deepEqual(
    sources.filter((file) => file.startsWith('console/') && named.test(readFileSync(join(root, file), 'utf8'))),
    [],
  )
})

test('only bin/ reads the environment of the process', () => {
  const readers = sources.filter(
    (file) => file.startsWith('src/') && readFileSync(join(root, file), 'utf8').includes('process.env'),
  )
  assert.deepEqual(readers, [])
})

test('zod is imported only through platform/json/schema.ts', () => {
  const named = /^import (?!type )[^\n]*'zod'/m
  assert.deepEqual(
    sources.filter((file) => named.test(readFileSync(join(root, file), 'utf8'))),
    ['src/platform/json/schema.ts'],
  )
})

test('node:http is imported only through platform/net/node-http.ts', () => {
  const named = /^import (?!type )[^\n]*'node:http'/m
  assert.deepEqual(
    sources.filter((file) => named.test(readFileSync(join(root, file), 'utf8'))),
    [],
  )
})

/** Tables that are written outside the folder of their noun, and why. */
const writtenElsewhere: Record<string, string[]> = {
  // From when on it keeps contents changes when they are deleted.
  workspaces: ['src/spend/contents/delete-contents.ts'],
  // The lease on an intern, and its status, change together.
  interns: ['src/provision/supervisor/intern-leases.ts'],
  intern_creations: ['src/provision/supervisor/intern-leases.ts'],
}

test('each table is written by the files of one folder', () => {
  const writers = new Map<string, Set<string>>()
  const write = /(?:insertInto|updateTable|deleteFrom|upsert\(\w+(?:\.\w+)*, )\(?'(\w+)'/g
  for (const file of sources.filter((one) => !one.startsWith('src/platform/db/'))) {
    for (const [, table] of readFileSync(join(root, file), 'utf8').matchAll(write)) {
      if (writtenElsewhere[table!]?.includes(file)) continue
      writers.set(table!, (writers.get(table!) ?? new Set()).add(folderOf(file)))
    }
  }
  assert.ok(writers.size > 15)
  assert.deepEqual(
    [...writers].filter(([, folders]) => folders.size > 1).map(([table, folders]) => `${table}: ${[...folders]}`),
    [],
  )
})

test('database-specific code is in src/platform/db/', () => {
  const dialect = /onConflict|on conflict|::bigint|\bilike\b|json_each|jsonb/
  const leaks = sources.filter(
    (file) =>
      file.startsWith('src/') &&
      !file.startsWith('src/platform/db/') &&
      dialect.test(readFileSync(join(root, file), 'utf8')),
  )
  assert.deepEqual(leaks, [])
})

/** @returns one circle for each import that closes one. */
function circlesOf(imports: readonly { from: string; to: string }[]): string[] {
  const next = Map.groupBy(imports, ({ from }) => from)
  const done = new Set<string>()
  const circles: string[] = []
  const visit = (file: string, importPath: string[]) => {
    if (importPath.includes(file))
      return void circles.push([...importPath.slice(importPath.indexOf(file)), file].join(' → '))
    if (done.has(file)) return
    for (const { to } of next.get(file) ?? []) visit(to, [...importPath, file])
    done.add(file)
  }
  for (const file of next.keys()) visit(file, [])
  return circles
}

test('no file imports itself in a circle', () => {
  assert.deepEqual(circlesOf(edges), [])
})

test('sibling folders at any level do not import each other by value', () => {
  const siblings = edges.filter(({ isType }) => !isType).flatMap(siblingsOf)
  const imports = new Set(siblings.map(({ from, to }) => `${from} ${to}`))
  const mutual = siblings.filter(({ from, to }) => from < to && imports.has(`${to} ${from}`))
  assert.deepEqual([...new Set(mutual.map(({ from, to }) => `${from} ↔ ${basename(to)}`))], [])
})

/** The folders in which the paths of an import part. None if one of the files is in the folder where they do. */
function siblingsOf({ from, to }: Edge): { from: string; to: string }[] {
  const [a, b] = [from.split('/'), to.split('/')]
  const at = a.findIndex((name, index) => name !== b[index])
  if (at < 0 || at >= a.length - 1 || at >= b.length - 1) return []
  return [{ from: a.slice(0, at + 1).join('/'), to: b.slice(0, at + 1).join('/') }]
}

/** A newcomer reads through a list of this length within a minute. Tests beside the code do not count. */
const maxLooseFiles = 16

/** Folders with more files, each one list of equals. */
const longLists: Record<string, string> = {
  'src/platform/db/migrations': 'one file for each migration, in order',
  bin: 'one file for each process, and the build',
  bench: 'one file for each benchmark, and the loads that they share',
}

test('no folder has more loose files than a newcomer can read through', () => {
  const files = globSync('{src,console,test,bench,bin}/**/*.*', { cwd: root }).filter(
    (file) => basename(file) !== 'README.md' && !/^(?:src|console)\/.*\.test\.ts$/.test(file),
  )
  const tooLong = [...Map.groupBy(files, dirname)].filter(([, members]) => members.length > maxLooseFiles)
  assert.deepEqual(tooLong.map(([folder]) => folder).sort(), Object.keys(longLists).sort())
})

test('every file can be reached from bin/', () => {
  const next = Map.groupBy(edges, (edge) => edge.from)
  // Started by path, in a separate thread or process.
  const started = [
    ...sources.filter((file) => file.startsWith('bin/')),
    'src/platform/db/sqlite/worker.ts',
    'src/policy/filters/worker.ts',
    'src/api/console/bundle.ts',
    'console/main.tsx',
    'console/server/create-renderer.ts',
  ]
  // They group modules for the bundler: a module that only they import is dead.
  const chunks = ['console/shared-chunk.ts', 'console/components/lazy-chunk.ts']
  const reached = new Set<string>()
  const visit = (file: string) => {
    if (reached.has(file)) return
    reached.add(file)
    if (chunks.includes(file)) return
    for (const { to } of next.get(file) ?? []) visit(to)
  }
  for (const file of started) visit(file)
  assert.deepEqual(
    sources.filter((file) => !reached.has(file) && !chunks.includes(file)),
    [],
  )
})

test('every screen of the console except the first imports their shared chunk', () => {
  const screens = sources.filter((file) => /^console\/[^/]+\/screen\.tsx$/.test(file))
  const chunk = 'console/components/lazy-chunk.ts'
  const without = screens.filter((screen) => !edges.some(({ from, to }) => from === screen && to === chunk))
  assert.deepEqual(without, ['console/requests/screen.tsx'])
})

/** Exports that only tests use, with the reason. */
const testExports: Record<string, string> = {
  portPair: 'two ends of a connection between processes, in one process',
  useBundledPrograms: 'interns of tests start from the bundle, which is faster',
}

test('every export is used by code other than tests', () => {
  const texts = globSync(['src/**/*.ts', 'bin/*.ts', 'console/**/*.{ts,tsx}', 'bench/*.ts'], { cwd: root })
    .filter((file) => !file.endsWith('.test.ts'))
    .map((file) => readFileSync(join(root, file), 'utf8'))
  const uses = new Map<string, number>()
  for (const text of texts)
    for (const [name] of text.matchAll(/[A-Za-z_$][\w$]*/g)) uses.set(name, (uses.get(name) ?? 0) + 1)
  const exported = texts.flatMap((text) =>
    [...text.matchAll(/^export (?:async )?(?:function\*?|const|class|type) (\w+)/gm)].map(([, name]) => name!),
  )
  assert.deepEqual(exported.filter((name) => uses.get(name) === 1).sort(), Object.keys(testExports).sort())
})

/** Error classes, with the data that a caller reads. All other errors are instances of these or of `Error`. */
const errorClasses: Record<string, string> = {
  Fault: 'kind and details, for the envelope',
  UserFacingError: 'none: printed as one sentence instead of a stack',
  Refusal: 'kind and retryable, of the contract with daemons',
  CatalogueError: 'the catalogue that stays in use',
  KubernetesError: 'status',
  ServiceError: 'status, in the CLI',
  ModelFault: 'retryable, status and usage',
  RpcError: 'code and data, of an agent',
  UnknownSession: 'none: the call is repeated in a new session',
  StoreError: 'isLocked',
  FileError: 'kind',
  BundlerStopped: 'none: logged as information, because it is not a failure',
  ConnectionAbandoned: 'code',
  NotPrimary: 'code',
}

/** Intervals that are not loops of the service: all other repeated work uses `platform/async/reconcile.ts`. */
const intervals: Record<string, string> = {
  'src/agent/mcp/server-tools.ts': 'reports progress',
  'src/agent/tools/delegate.ts': 'reports progress',
  'src/agent/tools/commands/command-progress.ts': 'reports progress',
  'src/cli/chat/progress-line.ts': 'draws progress',
  'src/platform/http/response/send-events.ts': 'keeps a stream alive',
  'src/gateway/attempt/run-attempts.ts': 'keeps a stream alive',
  'src/agent/sandbox/command.ts': 'reads the processes of a command, synchronously',
  'src/daemon/server/tls-server.ts': 'reads certificate files, synchronously',
  'src/api/server/intern-listener.ts': 'closes idle connections, synchronously',
  'src/platform/http/shutdown.ts': 'closes idle connections, synchronously',
  'src/platform/http/unread-responses.ts': 'closes stalled connections, synchronously',
  'src/api/status/readiness.ts': 'compares values in memory',
  'src/app/workers/heartbeat.ts': 'compares values in memory',
  'src/platform/db/postgres/connection-monitor.ts': 'compares values in memory',
  'src/platform/db/postgres/connections.ts': 'compares values in memory',
  'src/identity/accounts/requests-in-flight.ts': 'compares values in memory',
  'src/spend/budgets/budgets.ts': 'the clock of budgets, which tests replace',
}

const sourceTexts = sources
  .filter((file) => file.startsWith('src/'))
  .map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }))

test('every error class has data that a caller reads', () => {
  const classes = sourceTexts.flatMap(({ text }) =>
    [...text.matchAll(/class (\w+) extends (?:\w*Error|Fault)\b/g)].map(([, name]) => name!),
  )
  assert.deepEqual(classes.sort(), Object.keys(errorClasses).sort())
})

test('repeated work uses the reconciler', () => {
  const files = sourceTexts.filter(({ text }) => text.includes('setInterval(')).map(({ file }) => file)
  assert.deepEqual(files.sort(), Object.keys(intervals).sort())
})

test('half of the files are under 100 lines and nine in ten under 250', () => {
  const lengths = sources.map((file) => readFileSync(join(root, file), 'utf8').split('\n').length).sort((a, b) => a - b)
  const at = (share: number) => lengths[Math.floor(lengths.length * share)] ?? 0
  assert.ok(at(0.5) < 100, `the median file has ${at(0.5)} lines`)
  assert.ok(at(0.9) < 250, `one file in ten has ${at(0.9)} lines or more`)
})

test('names use the words of the glossary, and no retired ones', () => {
  const texts = /\/\/[^\n]*|\/\*[\s\S]*?\*\/|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/g
  const isRetired = (name: string) =>
    name.match(/[A-Z]?[a-z]+/g)?.some((word) => Object.hasOwn(retiredWords, word.toLowerCase()))
  const retired = sources.flatMap((file) => {
    const code = readFileSync(join(root, file), 'utf8').replace(texts, ' ')
    const names = new Set([...(code.match(/(?<![\w$])[A-Za-z][A-Za-z0-9]*(?!\w)/g) ?? []), file])
    return [...names].filter(isRetired).map((name) => `${file}: ${name}`)
  })
  assert.deepEqual(retired, [])
})

test('every file in the map exists', () => {
  const map = readFileSync(join(root, 'docs/map.md'), 'utf8')
  const named = [...map.matchAll(/`((?:src|console|test|\.ci)\/[^`<]+)`/g)].map(([, path]) => path!)
  assert.ok(named.length > 20)
  assert.deepEqual(
    named.filter((path) => globSync(path, { cwd: root }).length === 0),
    [],
  )
})

test('every link in the documents leads to a file and a heading that are there', () => {
  const pages = globSync(['*.md', 'docs/**/*.md'], { cwd: root })
  const anchors = (page: string) =>
    [...readFileSync(join(root, page), 'utf8').matchAll(/^#+ (.+)$/gm)].map(
      ([, heading]) =>
        `#${heading!
          .toLowerCase()
          .replace(/[^\p{L}\p{N} _-]/gu, '')
          .replaceAll(' ', '-')}`,
    )
  const broken = pages.flatMap((page) =>
    [...readFileSync(join(root, page), 'utf8').matchAll(/\]\((?!https?:)([^)#\s]*)(#[^)\s]+)?\)/g)]
      .map(([, link, anchor]) => ({ path: link ? join(dirname(page), link) : page, anchor }))
      .filter(
        ({ path, anchor }) =>
          globSync(path, { cwd: root }).length === 0 ||
          (anchor && path.endsWith('.md') && !anchors(path).includes(anchor)),
      )
      .map(({ path, anchor = '' }) => `${page}: ${path}${anchor}`),
  )
  assert.deepEqual(broken, [])
})

test('decision records: every record has a status, a date and a row in the index', () => {
  const folder = join(root, 'docs/decisions')
  const index = readFileSync(join(folder, 'README.md'), 'utf8')
  const incomplete = globSync('0*.md', { cwd: folder }).filter((file) => {
    const [title, , status, date] = readFileSync(join(folder, file), 'utf8').split('\n')
    const number = Number(file.slice(0, 4))
    const hasHead = /^- \*\*Status\*\*: \w/.test(status ?? '') && /^- \*\*Date\*\*: \d{4}-\d\d-\d\d$/.test(date ?? '')
    return (
      !hasHead ||
      !title?.startsWith(`# ${number}. `) ||
      !index.includes(`| ${number} | [${title.slice(`# ${number}. `.length)}](${file})`)
    )
  })
  assert.deepEqual(incomplete, [])
})
