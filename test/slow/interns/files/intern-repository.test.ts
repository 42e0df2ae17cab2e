import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { newTestStore, onOneDatabase } from '../../../harness/database/databases.ts'
import { type Files, hasGit, startGitServer } from '../../../harness/interns/git-server.ts'
import { answer, runningIntern, say, untilIntern } from '../../../harness/interns/interns.ts'
import { realShell } from '../../../harness/interns/scripted-agent.ts'
import { startTestService, type TestService } from '../../../harness/service/service.ts'
import { addColleague } from '../../../harness/service/world/colleague.ts'
import { until } from '../../../harness/until.ts'

const secret = 'glpat-Kx7Qd2vTn9'
const access = { user: 'ada', password: secret }
const credential = { username: 'ada', password: secret }
const files: Files = { 'README.md': 'Widgets.\n' }
const skip = hasGit ? false : 'git is not installed'
const noSandbox = (await realShell().sandboxError('/tmp')) ?? false

const homeOf = ({ testStore }: TestService, id: string) => join(testStore.settings.data_dir, 'interns', id)
const fileIn = (service: TestService, id: string, path: string) => join(homeOf(service, id), 'workspace', path)
const run = async (service: TestService, id: string, command: string) =>
  (await say(service, id, `run \`${command}\``, { approval_mode: 'self-drive' })).text

async function started(service: TestService, repository: object) {
  const created = await service.ask('POST', '/interns', { body: { name: 'ada', provision: true, repository } })
  assert.equal(created.status, 201, created.text)
  return until(async () => {
    const { body } = await service.ask('GET', `/interns/${created.body.id}`)
    return ['running', 'failed'].includes(body.status) && body
  })
}

onOneDatabase('an intern with a repository', (kind) => {
  test('starts with a clone of it, and keeps its work after a restart', { skip }, async () => {
    await using git = await startGitServer(files, access)
    await using service = await startTestService({ kind, settings: { repository_origins: [git.origin] } })
    const intern = await started(service, { url: git.url, credential })
    assert.deepEqual([intern.status, intern.last_failure_message], ['running', null])
    assert.deepEqual(intern.repository, {
      ...{ url: git.url, ref: null, depth: null, folder: 'widgets' },
      credential: { username: 'ada', label: 'glp…vTn9' },
    })
    const commit = 'cd widgets && echo more >> README.md && git commit -qam work && git status -sb'
    assert.match(await run(service, intern.id, commit), /## main.*ahead 1/)
    const log = 'cd widgets && git log -1 --format="%an, %cn, %ae"'
    assert.match(await run(service, intern.id, log), /(ada on behalf of .+), \1, \S+@\S+/)
    await service.ask('POST', `/interns/${intern.id}/suspend`)
    await service.ask('POST', `/interns/${intern.id}/provision`)
    await untilIntern(service, intern.id, 'running')
    assert.equal(readFileSync(fileIn(service, intern.id, 'widgets/README.md'), 'utf8'), 'Widgets.\nmore\n')
  })

  test('commits in the sandbox with the same author', { skip: skip || noSandbox }, async () => {
    await using git = await startGitServer(files, access)
    await using service = await startTestService({ kind, settings: { repository_origins: [git.origin] } })
    const { id } = await started(service, { url: git.url, credential })
    const question = await say(
      service,
      id,
      'run `cd widgets && git commit -q --allow-empty -m work && git log -1 --format=%an`',
    )
    assert.match((await answer(service, id, question, 'allow_once')).text, /ada on behalf of /)
  })

  test('never returns its password, and stores it encrypted', { skip }, async () => {
    await using git = await startGitServer(files, access)
    await using service = await startTestService({ kind, settings: { repository_origins: [git.origin] } })
    const { id } = await started(service, { url: git.url, credential })
    await service.ask('PATCH', `/interns/${id}`, {
      body: { visibility: 'workspace', repository: { url: git.url, credential } },
    })
    const grace = await addColleague(service)
    const names = [
      (await grace.ask('GET', `/interns/${id}`)).text,
      (await grace.ask('GET', '/interns')).text,
      (await service.manage('GET', '/audit')).text,
    ]
    const basic = Buffer.from(`ada:${secret}`).toString('base64')
    for (const text of names) assert.ok(!text.includes(secret) && !text.includes(basic))
    assert.deepEqual(filesWith(service.testStore.settings.data_dir, [secret, basic]), [])
    const text = await run(
      service,
      id,
      `cat widgets/.git/config; git -C widgets remote -v; env; cat /proc/*/environ /proc/*/cmdline 2>/dev/null | tr '\\0' '\\n'`,
    )
    assert.ok(text.includes(git.url) && !text.includes(secret) && !text.includes(basic), text)
  })

  test('fails with the reason if the clone fails, and starts after a repair', {
    skip,
  }, async () => {
    await using git = await startGitServer(files, access)
    await using service = await startTestService({ kind, settings: { repository_origins: [git.origin] } })
    const wrong = await started(service, { url: git.url, credential: { username: 'ada', password: 'wrong-one-9876' } })
    assert.deepEqual(
      [wrong.status, wrong.last_failure_message],
      [
        'failed',
        `The repository ${git.url} is not cloned: its server refused the credential, or the repository does not exist.`,
      ],
    )
    assert.equal(existsSync(fileIn(service, wrong.id, 'widgets')), false)
    await service.ask('PATCH', '/interns/ada', {
      body: { repository: { url: git.url, credential, ref: 'v1', depth: 1 } },
    })
    await service.ask('POST', '/interns/ada/provision')
    await untilIntern(service, wrong.id, 'running')
    assert.match(await run(service, wrong.id, 'git -C widgets log --oneline'), /Initial commit/)
  })

  test('encrypts its password with one key; without it the service does not start', async () => {
    const testStore = await newTestStore(kind)
    const key = join(testStore.settings.data_dir, 'encryption.key')
    const first = await startTestService({ testStore })
    const repository = { url: 'https://git.example.com/a/b', credential }
    const created = await first.ask('POST', '/interns', { body: { name: 'ada', repository } })
    await first.stop()
    assert.equal(created.status, 201, created.text)
    renameSync(key, `${key}.lost`)
    await assert.rejects(startTestService({ testStore }), /encryption key .* is missing, and .*repository credentials/)
    await testStore.remove()
  })

  test('replays under its idempotency key, and not with another password', { skip }, async () => {
    await using service = await startTestService({ kind })
    const make = (password: string) =>
      service.ask('POST', '/interns', {
        body: { name: 'ada', repository: { url: 'https://git.example.com/a/b', credential: { password } } },
        headers: { 'idempotency-key': 'once' },
      })
    assert.deepEqual(
      [(await make('one')).status, (await make('one')).status, (await make('two')).status],
      [201, 200, 409],
    )
  })
})

describe('a clone that fails', { skip }, () => {
  const why = async (service: TestService, repository: object) =>
    (await started(service, repository)).last_failure_message

  const cases: [name: string, repository: (url: string) => object, says: RegExp][] = [
    [
      'requires a credential',
      (url) => ({ url }),
      /its server requires a credential, or the repository does not exist\.$/,
    ],
    ['has no such branch', (url) => ({ url, ref: 'no-such', credential }), /Remote branch no-such not found/],
    [
      'is not there',
      (url) => ({ url: url.replace('widgets', 'gadgets'), credential }),
      /gadgets\.git\/?' not found\.$/,
    ],
  ]
  for (const [name, repository, says] of cases) {
    test(`reports that the repository ${name}`, async () => {
      await using git = await startGitServer(files, access)
      await using service = await startTestService({ settings: { repository_origins: [git.origin] } })
      const response = await why(service, repository(git.url))
      assert.match(response, says)
      assert.ok(!response.includes(secret))
    })
  }

  test('follows no redirect to another server, and sends it no credential', async () => {
    await using git = await startGitServer(files, access)
    await using other = await startGitServer(files)
    git.around.respond = (request, response) => {
      response.writeHead(302, { location: other.origin + request.url }).end()
      return true
    }
    await using service = await startTestService({ settings: { repository_origins: [git.origin, other.origin] } })
    assert.match(await why(service, { url: git.url, credential }), /its server redirects to another address/)
    assert.deepEqual(other.seen, [])
  })

  test('masks the credential in git’s output', async () => {
    await using git = await startGitServer(files, access)
    git.around.respond = (request, response) => {
      const basic = request.headers.authorization?.slice(6) ?? ''
      const text = `ERR you sent ${basic} which is ${Buffer.from(basic, 'base64')}`
      const line = (text: string) => (text.length + 4).toString(16).padStart(4, '0') + text
      response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-advertisement' })
      response.end(`${line('# service=git-upload-pack\n')}0000${line(text)}`)
      return true
    }
    await using service = await startTestService({ settings: { repository_origins: [git.origin] } })
    const response = await why(service, { url: git.url, credential })
    assert.match(response, /you sent/)
    assert.ok(
      !response.includes(secret) && !response.includes(Buffer.from(`ada:${secret}`).toString('base64')),
      response,
    )
  })

  test('is over after its time, and when the service stops', async () => {
    await using git = await startGitServer(files)
    git.around.respond = () => new Promise(() => {})
    const settings = { repository_origins: [git.origin], repository_clone_ms: 700 }
    await using service = await startTestService({ settings })
    assert.match(await why(service, { url: git.url }), /it took more than 0\.7 seconds/)
    await using patient = await startTestService({ settings: { repository_origins: [git.origin] } })
    const before = git.seen.length
    await patient.ask('POST', '/interns', { body: { name: 'ada', provision: true, repository: { url: git.url } } })
    await until(() => git.seen.length > before)
    await patient.stop()
  })

  test('is ended at the disk limit of the intern', async () => {
    const noise = () => randomBytes(3_000_000).toString('base64')
    await using git = await startGitServer({ a: noise(), b: noise() })
    const settings = { repository_origins: [git.origin], intern_disk_bytes: 5_000_000 }
    await using service = await startTestService({ settings })
    const response = await why(service, { url: git.url })
    assert.match(
      response,
      /is not cloned: Its files use \d+ MiB; at most 5 MiB are allowed \(setting "intern_disk_bytes"\)\.$/,
    )
    const [intern] = (await service.ask('GET', '/interns')).body.data
    assert.deepEqual(readdirSync(fileIn(service, intern.id, '.')), [])
    assert.equal(existsSync(join(homeOf(service, intern.id), 'cloning')), false)
  })

  test('leaves an existing folder unchanged', async () => {
    await using git = await startGitServer(files)
    await using service = await startTestService({ settings: { repository_origins: [git.origin] } })
    const { id } = (await service.ask('POST', '/interns', { body: { name: 'ada', repository: { url: git.url } } })).body
    mkdirSync(fileIn(service, id, 'widgets'), { recursive: true })
    writeFileSync(fileIn(service, id, 'widgets/kept'), 'kept')
    await service.ask('POST', `/interns/${id}/provision`)
    const failed = await untilIntern(service, id, 'failed')
    assert.match(failed.last_failure_message, /the workspace already has a folder "widgets"; rename it/)
    assert.equal(readFileSync(fileIn(service, id, 'widgets/kept'), 'utf8'), 'kept')
  })
})

describe('ownership of a clone', { skip }, () => {
  for (const [name, settings] of [
    ['as a separate user', {}],
    ['as the service', { intern_users_from: 0 }],
    ['in the sandbox that util-linux makes', { sandbox_program: '/none/bwrap' }],
  ] as const) {
    test(`git does not doubt it, outside the sandbox and within, ${name}`, async () => {
      await using git = await startGitServer(files)
      await using service = await startTestService({ settings: { ...settings, repository_origins: [git.origin] } })
      const { id } = await runningIntern(service, { repository: { url: git.url } })
      const owner = lstatSync(join(homeOf(service, id), 'workspace')).uid
      assert.equal(lstatSync(fileIn(service, id, 'widgets/.git/config')).uid, owner)
      if (process.getuid?.() === 0) assert.equal(owner === 0, 'intern_users_from' in settings)
      assert.match(await run(service, id, 'git -C widgets status --short --branch'), /## main\.\.\.origin\/main/)
      const turn = await say(service, id, 'run `git -C widgets status --short --branch`')
      assert.match(
        (await answer(service, id, turn, 'allow_once')).text,
        /## main\.\.\.origin\/main|The sandbox is not available/,
      )
    })
  }

  const isRoot = process.getuid?.() === 0 ? false : 'it takes root to see who another process is'
  test('it is fetched by neither the service nor the intern', { skip: isRoot }, async () => {
    await using git = await startGitServer(files, access)
    const users: number[] = []
    git.around.respond = () => {
      users.push(...usersOf('team/widgets.git'))
      return false
    }
    await using service = await startTestService({ settings: { repository_origins: [git.origin] } })
    const { id } = await started(service, { url: git.url, credential })
    const own = lstatSync(join(homeOf(service, id), 'workspace')).uid
    assert.ok(own > 0 && users.length > 0 && users.every((user) => user !== own && user !== 0), `${users} ${own}`)
  })
})

test('commits are fetched as documented, and files are transferred', { skip }, async () => {
  await using git = await startGitServer(files)
  await using service = await startTestService({ settings: { repository_origins: [git.origin] } })
  const { id } = await runningIntern(service, { repository: { url: git.url } })
  await run(service, id, 'cd widgets && git -c user.name=A -c user.email=a@b commit --allow-empty -qm "By the intern"')
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-how-to-'))
  const page = readFileSync(new URL('../../../../docs/interns-howto.md', import.meta.url), 'utf8')
  const [back = '', copies = ''] = [...page.matchAll(/^```bash\n(.*?)^```$/gms)].map(([, text]) => text!)
  const as = process.getuid?.() === 0 ? '' : 'as=\n'
  const script = `
    git clone -q ${git.bare} mine && mkdir -p from-bob for-bob && echo for you > for-bob/in.txt
    cd mine
    ${back.replace(/^as=.*$/m, (line) => as || line)}
    cd .. && echo report > "$WORKSPACE/report.pdf"
    ${copies}
    (cd "$WORKSPACE" && $as cat in.txt && ls -ln in.txt)`
  const env = { ...process.env, HOME: folder, WORKSPACE: join(homeOf(service, id), 'workspace') }
  const text = execFileSync('bash', ['--norc', '-euc', script], { cwd: folder, env, encoding: 'utf8' })
  assert.match(text, /By the intern[\s\S]*for you/)
  assert.equal(readFileSync(join(folder, 'from-bob/report.pdf'), 'utf8'), 'report\n')
  assert.equal(lstatSync(fileIn(service, id, 'in.txt')).uid, lstatSync(env.WORKSPACE).uid)
  rmSync(folder, { recursive: true })
})

const othersCannotLook = process.getuid?.() === 0 ? skip : 'without root interns have no separate users'
test('another intern in self-drive cannot find the credential in use', {
  skip: othersCannotLook,
}, async () => {
  await using git = await startGitServer(files, access)
  await using service = await startTestService({ settings: { repository_origins: [git.origin] } })
  const { id } = await runningIntern(service, { name: 'eve' })
  const request = Promise.withResolvers<void>()
  const looked = Promise.withResolvers<boolean>()
  git.around.respond = () => {
    request.resolve()
    return looked.promise
  }
  const starting = started(service, { url: git.url, credential })
  await request.promise
  const data = service.testStore.settings.data_dir
  const look = `for p in /proc/[0-9]*; do tr '\\0' '\\n' < $p/environ; tr '\\0' ' ' < $p/cmdline; done 2>&1 | grep -a -e EXTRAHEADER -e VALUE_ -e Basic -e widgets.git; ls -R ${data} ${data}/interns/*/cloning 2>&1; grep -ra Basic ${data} 2>/dev/null; echo looked`
  const seen = await run(service, id, look)
  looked.resolve(false)
  assert.equal((await starting).status, 'running')
  assert.match(seen, /git clone[^\n]*widgets\.git[\s\S]*looked/)
  const basic = Buffer.from(`ada:${secret}`).toString('base64')
  assert.ok(!seen.includes(secret) && !seen.includes(basic), seen)
})

describe('a hostile repository', { skip }, () => {
  test('runs nothing and reaches nothing when it is cloned', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'signalbox-hostile-'))
    chmodSync(folder, 0o777)
    const trace = join(folder, 'trace')
    await using git = await startGitServer({
      '.gitattributes': '* filter=evil diff=evil merge=evil\n',
      '.gitmodules': `[submodule "evil"]\n\tpath = evil\n\turl = ext::touch ${trace}\n\tupdate = !touch ${trace}\n`,
      '.gitconfig': `[filter "evil"]\n\tsmudge = touch ${trace}\n[core]\n\tfsmonitor = touch ${trace}\n`,
      'hooks/post-checkout': `#!/bin/sh\ntouch ${trace}\n`,
      link: { link: '/etc/passwd' },
      out: { link: '../../settings.json' },
    })
    await using service = await startTestService({ settings: { repository_origins: [git.origin] } })
    const intern = await started(service, { url: git.url })
    assert.deepEqual([intern.status, existsSync(trace)], ['running', false])
    assert.ok(lstatSync(fileIn(service, intern.id, 'widgets/link')).isSymbolicLink())
    assert.equal(existsSync(fileIn(service, intern.id, 'widgets/.git/hooks')), false)
    // The agent's home is the workspace, not the clone.
    assert.match(
      await run(service, intern.id, 'git -C widgets status --short; git config --global --list; echo done'),
      /done/,
    )
    assert.equal(existsSync(trace), false)
    assert.match((await say(service, intern.id, 'read widgets/out')).text, /outside the workspace/)
    rmSync(folder, { recursive: true })
  })

  test('is never cloned into a hidden folder, for any name', async () => {
    await using service = await startTestService()
    for (const [index, name] of ['.ssh.git', '.git', '..%2f..%2fetc', '-rf.git', 'a%20b.git'].entries()) {
      const repository = { url: `https://git.example.com/team/${name}` }
      const { body } = await service.ask('POST', '/interns', { body: { name: `ada${index}`, repository } })
      assert.match(body.repository.folder, /^[A-Za-z0-9][A-Za-z0-9._-]*$/)
    }
  })
})

describe('invalid repositories of a new intern', () => {
  const refused: [repository: object, says: RegExp][] = [
    ...['ext::sh -c id', 'file:///etc', '/etc', 'git@host:a/b', 'ssh://host/a', '--upload-pack=id', 'https://'].map(
      (url) => [{ url }, /repository\.url: must be an https:\/\/ URL/] as [object, RegExp],
    ),
    [{ url: 'https://ada:secret@host/a' }, /without user, query or fragment/],
    [{ url: 'https://host/a?b=c' }, /without user, query or fragment/],
    [{ url: 'https://host/a\nb' }, /must be an https:\/\/ URL/],
    [{ url: 'http://git.example.com/a' }, /it must start with https:\/\//],
    ...[
      '127.0.0.1',
      '10.1.2.3',
      '169.254.169.254',
      '[::1]',
      '[fd00::1]',
      '[::ffff:10.0.0.1]',
      '0x7f.1',
      '2130706433',
    ].map((host) => [{ url: `https://${host}/a` }, /it is not at a public address/] as [object, RegExp]),
    ...['--upload-pack=id', '-b', 'a..b', 'a b', 'a:b', 'a@{1}', 'x.lock', '/a', 'a\u0007'].map(
      (ref) =>
        [{ url: 'https://git.example.com/a', ref }, /repository\.ref: must be the name of a branch/] as [
          object,
          RegExp,
        ],
    ),
    [{ url: 'https://git.example.com/a', depth: 0 }, /repository\.depth/],
    [
      { url: 'https://git.example.com/a', credential: { password: 'a\r\nX: y' } },
      /credential\.password: must be visible/,
    ],
    [{ url: 'https://git.example.com/a', credential: { username: 'a:b', password: 'c' } }, /credential\.username/],
    [{ url: 'https://git.example.com/a', branch: 'main' }, /unknown field "branch"/],
  ]
  test('the error names the field and the valid values', { skip }, async () => {
    await using service = await startTestService()
    for (const [repository, says] of refused) {
      const { status, body } = await service.ask('POST', '/interns', { body: { name: 'ada', repository } })
      assert.equal(status, 400, JSON.stringify(repository))
      assert.match(body.error.message, says)
      assert.ok(!body.error.message.includes('secret'))
    }
  })

  test('a name that leads to this host is refused when the intern starts', { skip }, async () => {
    await using service = await startTestService()
    const failed = await started(service, { url: 'https://localhost:1/a' })
    assert.match(
      failed.last_failure_message,
      /the host localhost is not a public host; the operator can allow its origin/,
    )
  })

  test('servers that the operator does not list are refused', { skip }, async () => {
    await using service = await startTestService({ settings: { repository_origins: ['https://git.internal'] } })
    const make = (url: string) => service.ask('POST', '/interns', { body: { name: 'ada', repository: { url } } })
    assert.match(
      (await make('https://github.com/a/b')).body.error.message,
      /allows repositories of https:\/\/git\.internal only/,
    )
    assert.equal((await make('https://git.internal:443/a/b')).status, 201)
  })
})

/** The users of the git processes whose command line contains this text. */
function usersOf(text: string): number[] {
  return readdirSync('/proc').flatMap((pid) => {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
      const user = /^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
      return command.includes('git') && command.includes(text) ? [Number(user)] : []
    } catch {
      return []
    }
  })
}

/** The files below a folder that contain one of these texts. */
function filesWith(folder: string, texts: string[]): string[] {
  const patterns = texts.flatMap((text) => ['-e', text])
  try {
    return execFileSync('grep', ['-raFl', ...patterns, folder], { encoding: 'utf8' })
      .trim()
      .split('\n')
  } catch {
    return []
  }
}
