import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../service/free-port.ts'

const bin = globSync('/usr/lib/postgresql/*/bin').sort().at(-1)

/** Why a Postgres server of a test cannot be started; false if it can. */
export const noOwnPostgres = missingRequirement()

function missingRequirement(): string | false {
  if (bin === undefined) return 'postgresql is not installed'
  const isRoot = process.getuid?.() === 0
  if (isRoot && spawnSync('runuser', ['-u', 'postgres', 'true']).status !== 0)
    return 'the user postgres, which would run the server, does not exist'
  return false
}

/** A Postgres server that only one test uses. */
export type OwnPostgres = AsyncDisposable & {
  port: number
  url: string
  /** Stops all of its processes, or continues them. */
  signal: (name: 'SIGSTOP' | 'SIGCONT') => void
  /** Starts a standby that replicates from this server. */
  standby: () => Promise<OwnPostgres>
  /** Makes a standby the primary. */
  promote: () => void
  stop: () => void
}

/** Runs as the user postgres if the test runs as root: Postgres refuses to run as root. */
function run(folder: string, command: string, ...args: string[]): void {
  const asPostgres = process.getuid?.() === 0 ? ['runuser', '-u', 'postgres', '--'] : []
  const [program = '', ...programArguments] = [...asPostgres, `${bin}/${command}`, ...args]
  execFileSync(program, programArguments, { stdio: 'ignore', cwd: folder })
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-own-pg-'))
  chmodSync(folder, 0o755)
  if (process.getuid?.() === 0) execFileSync('chown', ['postgres', folder])
  return folder
}

export async function startOwnPostgres(): Promise<OwnPostgres> {
  const folder = newFolder()
  run(folder, 'initdb', '-D', `${folder}/data`, '-A', 'trust', '-U', 'postgres', '--no-sync')
  return startIn(folder)
}

async function startIn(folder: string): Promise<OwnPostgres> {
  const data = join(folder, 'data')
  const port = await freePort()
  const options = `-p ${port} -k ${folder} -c listen_addresses=127.0.0.1 -c fsync=off -c max_connections=100`
  run(folder, 'pg_ctl', '-D', data, '-w', '-l', join(folder, 'log'), '-o', options, 'start')
  const stop = () => {
    try {
      run(folder, 'pg_ctl', '-D', data, '-m', 'immediate', '-w', 'stop')
    } catch {
      // It was stopped before.
    }
  }
  const signal = (name: 'SIGSTOP' | 'SIGCONT') => {
    for (const pid of processesOf(data)) {
      try {
        process.kill(pid, name)
      } catch {
        // An autovacuum worker has ended meanwhile.
      }
    }
  }
  return {
    port,
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    signal,
    stop,
    promote: () => run(folder, 'pg_ctl', '-D', data, '-w', 'promote'),
    async standby() {
      const standbyFolder = newFolder()
      const from = ['-h', '127.0.0.1', '-p', String(port), '-U', 'postgres']
      run(
        standbyFolder,
        'pg_basebackup',
        ...from,
        '-D',
        `${standbyFolder}/data`,
        '-R',
        '-X',
        'stream',
        '-c',
        'fast',
        '--no-sync',
      )
      return startIn(standbyFolder)
    },
    async [Symbol.asyncDispose]() {
      signal('SIGCONT')
      stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** The server's first process and its child processes. */
function processesOf(data: string): number[] {
  const first = readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n', 1)[0]!
  const children = spawnSync('pgrep', ['-P', first], { encoding: 'utf8' }).stdout.split('\n').filter(Boolean)
  return [first, ...children].map(Number)
}
