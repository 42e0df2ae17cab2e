import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { blocksIn } from '../docs/blocks.ts'
import { until } from '../harness/until.ts'

/** The reverse proxies of which docs/several-servers.md prints a configuration for two servers. */
export type ProxyProgram = 'haproxy' | 'caddy' | 'nginx'

/** Two addresses, `host:port`. */
type Servers = readonly [string, string]

type RunningProxy = AsyncDisposable & {
  url: string
  /** Resolves when the proxy sends requests to this server. */
  untilServedBy: (server: string) => Promise<void>
  /** The end of what the proxy logged; of nginx the number of each kind of error. */
  log: () => string
}

const folders = `${process.env.PATH}:/usr/sbin:/sbin`.split(':')
const pathOf = (program: ProxyProgram) =>
  folders.map((folder) => join(folder, program)).find((path) => existsSync(path))

/** Why tests of this program are skipped; false if it is installed. */
export const noProxy = (program: ProxyProgram): string | false =>
  pathOf(program) ? false : `${program} is not installed (Debian: ${program})`

/** The changes that make each documented configuration usable in a test, and name the server in each response. */
const configurations: Record<ProxyProgram, (text: string, address: string, folder: string) => string> = {
  haproxy: (text, address) =>
    replaceOnce(
      replaceOnce(text, 'bind :80', `bind ${address}`),
      'default-server',
      'http-response set-header x-served-by %si:%sp\n  default-server',
    ),
  caddy: (text, address) =>
    `{\n  admin off\n}\n${replaceOnce(
      withOldSetting(text),
      'signalbox.example.com {',
      `http://${address} {\n  bind ${address.split(':')[0]}\n  header {\n    x-served-by {http.reverse_proxy.upstream.hostport}\n    defer\n  }`,
    )}`,
  nginx: (text, address, folder) => `
    daemon off;
    user root;
    pid ${folder}/pid;
    error_log ${folder}/error.log;
    events { worker_connections 4000; }
    http {
      access_log off;
      add_header x-served-by $upstream_addr always;
      ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => `${kind}_temp_path ${folder}/${kind};`).join(' ')}
      ${replaceOnce(text, 'listen 80;', `listen ${address};`)}
    }`,
}

const parseArguments: Record<ProxyProgram, (file: string, folder: string) => string[]> = {
  haproxy: (file) => ['-db', '-f', file],
  caddy: (file) => ['run', '--adapter', 'caddyfile', '--config', file],
  nginx: (file, folder) => ['-p', folder, '-e', `${folder}/error.log`, '-c', file],
}

/** Caddy before 2.6.4 has another setting for the buffering of requests. The page says so. */
function withOldSetting(text: string): string {
  const version = execFileSync(pathOf('caddy')!, ['version'], { encoding: 'utf8' }).replace(/^v/, '')
  const isOld = version.localeCompare('2.6.4', 'en', { numeric: true }) < 0
  return isOld ? replaceOnce(text, 'request_buffers 4MiB', 'buffer_requests') : text
}

function replaceOnce(text: string, part: string, by: string): string {
  if (text.split(part).length !== 2) throw new Error(`docs/several-servers.md does not have ${part} once in:\n${text}`)
  return text.replace(part, () => by)
}

/** @throws Error if the page does not print one configuration of this program for two servers. */
function documented(program: ProxyProgram, servers: Servers): string {
  const page = readFileSync(new URL('../../docs/several-servers.md', import.meta.url), 'utf8')
  const language = program === 'caddy' ? 'caddyfile' : program
  const texts = blocksIn(page)
    .filter((block) => block.language === language && block.text.includes('10.0.0.2:8080'))
    .map(({ text }) => text)
  if (texts.length !== 1) throw new Error(`docs/several-servers.md has ${texts.length} configurations of ${program}`)
  return texts[0]!.replaceAll('10.0.0.1:8080', servers[0]).replaceAll('10.0.0.2:8080', servers[1])
}

/**
 * Starts a reverse proxy with the configuration that docs/several-servers.md prints for two servers.
 * @param tls a PEM file with the certificate and key of `localhost`, for haproxy: it then ends TLS.
 */
export async function startDocumentedProxy(
  program: ProxyProgram,
  address: string,
  servers: Servers,
  tls?: string,
): Promise<RunningProxy> {
  const folder = mkdtempSync(join(tmpdir(), `signalbox-${program}-`))
  const file = join(folder, 'proxy.conf')
  writeFileSync(
    file,
    configurations[program](documented(program, servers), tls ? `${address} ssl crt ${tls}` : address, folder),
  )
  const child = spawn(pathOf(program)!, parseArguments[program](file, folder), {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { PATH: process.env.PATH, HOME: folder },
  })
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-50_000)
  })
  const ended = once(child, 'close')
  const url = tls ? `https://localhost:${address.split(':')[1]}/api/v1` : `http://${address}/api/v1`
  const servedBy = async () => {
    if (child.exitCode !== null) throw new Error(`${program} ended: ${errors}`)
    const response = await fetch(`${url}/health`).catch(() => undefined)
    return response?.headers.get('x-served-by')
  }
  await until(servedBy)
  return {
    url,
    log: () => errors + (program === 'nginx' ? summaryOf(readFileSync(`${folder}/error.log`, 'utf8')) : ''),
    untilServedBy: async (server) => void (await until(async () => (await servedBy()) === server)),
    async [Symbol.asyncDispose]() {
      // nginx ends its workers on SIGTERM only.
      child.kill(program === 'nginx' ? 'SIGTERM' : 'SIGKILL')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Lists the errors that nginx logged, by kind and upstream, with the number and the time of the first and last one. */
function summaryOf(errorLog: string): string {
  const errors = errorLog.split('\n').flatMap((line) => {
    const [, time, reason = ''] = /^\S+ (\S+) \[\w+\] \S+ (?:\*\d+ )?(.*?)(?:, client|$)/.exec(line) ?? []
    const upstream = /upstream: "http:\/\/([\d.]+)/.exec(line)?.[1] ?? ''
    return time === undefined ? [] : [{ time, kind: `${reason} ${upstream}` }]
  })
  return [...Map.groupBy(errors, ({ kind }) => kind)]
    .map(([kind, group]) => `nginx: ${group.length} × ${kind}, ${group[0]!.time} to ${group.at(-1)!.time}`)
    .join('\n')
}
