import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'

const home = mkdtempSync(join(tmpdir(), 'signalbox-descriptors-'))
after(() => rmSync(home, { recursive: true }))

/** Functions that start a process: their module, the call, and the error without file descriptors for a pipe. */
const starts: [module: string, call: string, refusal: RegExp][] = [
  ['provision/repository/git.ts', `runGit({ path: '', args: [], cwd: '/', signal })`, /^spawn git EMFILE/],
  ['provision/host/user-ids.ts', `checkUserIds(70000, [], '/')`, /separate users failed: spawn .* EMFILE/],
  [
    'provision/processes/files-process.ts',
    `startFilesProcess({ config: {}, home: '${home}', findUid() {}, path: '', onStarting() {}, onStarted() {} })`,
    /The stored files of the intern cannot be read: spawn .* EMFILE/,
  ],
  [
    'app/workers/worker-process.ts',
    `endOf(spawnWorker({ script: '/nonexistent', sockets: [], handlers: {}, onLines() {} }))`,
    /^The other process of this service has ended; it could not be started: spawn .* EMFILE/,
  ],
]

for (const [module, call, refusal] of starts)
  test(`without file descriptors a failed process start does not end us: ${module}`, () => {
    const script = `
      import { closeSync, openSync } from 'node:fs'
      import * as module from '#${module}'
      const { runGit, checkUserIds, startFilesProcess, spawnWorker } = module
      const { signal } = new AbortController()
      const endOf = async ({ rpc, ended }) => {
        const refused = await rpc.call('worker.start', {}).catch((error) => error)
        throw new Error(refused.message.replace('.', '; it ') + (await ended))
      }
      const open = []
      try { for (;;) open.push(openSync('/dev/null')) } catch {}
      // One is left: enough to read a file, and not for a pipe.
      closeSync(open.pop())
      const said = await ${call}.catch(({ message }) => message)
      open.forEach(closeSync)
      setImmediate(() => console.log(said))`
    const limited = [
      '--norc',
      '-c',
      'ulimit -n 300; "$@"; exit',
      'bash',
      process.execPath,
      '--input-type=module',
      '-e',
      script,
    ]
    const { stdout, stderr } = spawnSync('bash', limited, { encoding: 'utf8', timeout: 180_000 })
    assert.match(stdout, refusal, stderr)
  })
