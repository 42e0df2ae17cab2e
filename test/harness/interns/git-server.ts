import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

export const hasGit = spawnSync('git', ['--version']).status === 0

/** The contents of a repository: text, or the target of a link. */
export type Files = { [path: string]: string | { link: string } }

const author = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', '-c', 'core.hooksPath=/dev/null']

/** A git server over HTTP with one repository, `/team/widgets.git`, at an address of this host. `await using` ends it. */
export async function startGitServer(files: Files, { user = '', password = '' } = {}, address = '127.0.0.1') {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-git-'))
  const bare = join(folder, 'team', 'widgets.git')
  const git = (cwd: string, ...args: string[]) =>
    execFileSync('git', [...author, ...args], { cwd, env: { PATH: process.env.PATH, HOME: folder }, stdio: 'pipe' })
  mkdirSync(dirname(bare), { recursive: true })
  git(folder, 'init', '-q', '--bare', '--initial-branch=main', bare)
  if (Object.keys(files).length > 0) {
    const draft = join(folder, 'draft')
    git(folder, 'clone', '-q', bare, draft)
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(draft, path)), { recursive: true })
      if (typeof content === 'string') writeFileSync(join(draft, path), content)
      else symlinkSync(content.link, join(draft, path))
    }
    git(draft, 'add', '--all', '--force')
    git(draft, 'commit', '-qm', 'Initial commit')
    git(draft, 'tag', 'v1')
    git(draft, 'push', '-q', 'origin', 'HEAD:main', 'v1', 'HEAD:refs/heads/feature/one')
  }
  const expected = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
  const seen: { path: string; authorization: string | undefined }[] = []
  /** Runs before each answer. */
  const around: { respond?: (request: IncomingMessage, response: ServerResponse) => boolean | Promise<boolean> } = {}
  const server = createServer(async (request, response) => {
    seen.push({ path: request.url ?? '', authorization: request.headers.authorization })
    if (await around.respond?.(request, response)) return
    if (user && request.headers.authorization !== expected) {
      return void response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end()
    }
    serve(folder, request, response)
  })
  await new Promise<void>((resolve) => void server.listen(0, address, resolve))
  const origin = `http://${address}:${(server.address() as AddressInfo).port}`
  return {
    origin,
    url: `${origin}/team/widgets.git`,
    bare,
    seen,
    around,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => void server.close(resolve))
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** One request by git's own server program, which implements CGI. */
function serve(root: string, request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? '/', 'http://here')
  const child = spawn('git', ['http-backend'], {
    env: {
      PATH: process.env.PATH,
      HOME: root,
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      REQUEST_METHOD: request.method,
      PATH_INFO: url.pathname,
      QUERY_STRING: url.search.slice(1),
      ...{
        CONTENT_TYPE: request.headers['content-type'] ?? '',
        GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
      },
      ...(request.headers['content-encoding'] && { HTTP_CONTENT_ENCODING: request.headers['content-encoding'] }),
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  child.stdin.on('error', () => {})
  request.pipe(child.stdin)
  const chunks: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => void chunks.push(chunk))
  child.on('close', () => {
    const all = Buffer.concat(chunks)
    const end = all.indexOf('\r\n\r\n')
    const headers = all
      .subarray(0, end)
      .toString()
      .split('\r\n')
      .map((line) => line.split(': ') as [string, string])
    const status = Number.parseInt(headers.find(([name]) => name === 'Status')?.[1] ?? '200', 10)
    response.writeHead(status, Object.fromEntries(headers.filter(([name]) => name !== 'Status')))
    response.end(all.subarray(end + 4))
  })
}
