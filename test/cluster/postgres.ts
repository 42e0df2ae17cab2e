import { execFileSync } from 'node:child_process'
import { chmodSync, globSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A dedicated Postgres at an address. It has a separate user, because it refuses to run as root. */
export function startPostgres(host: string, port: number): { url: (database: string) => string } & Disposable {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-pg-'))
  chmodSync(folder, 0o755)
  execFileSync('chown', ['postgres', folder])
  const bin = globSync('/usr/lib/postgresql/*/bin').sort().at(-1)
  const as = (command: string, ...args: string[]) =>
    execFileSync('runuser', ['-u', 'postgres', '--', `${bin}/${command}`, ...args], { stdio: 'ignore', cwd: folder })
  const data = join(folder, 'data')
  as('initdb', '-D', data, '-A', 'trust', '-U', 'postgres')
  execFileSync('sh', ['-c', `echo 'host all all 10.91.0.0/16 trust' >> ${data}/pg_hba.conf`])
  const options = `-p ${port} -k ${folder} -c listen_addresses=${host} -c max_connections=200`
  as('pg_ctl', '-D', data, '-w', '-l', join(folder, 'log'), '-o', options, 'start')
  return {
    url: (database) => `postgres://postgres@${host}:${port}/${database}`,
    [Symbol.dispose]() {
      as('pg_ctl', '-D', data, '-m', 'immediate', 'stop')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
