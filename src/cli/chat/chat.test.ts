import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { stripVTControlCharacters } from 'node:util'
import { startTcpProxy } from '#test/harness/database/tcp-proxy.ts'
import { type InternChatService, scripted, startInternChatService } from '#test/harness/interns/intern-chat.ts'
import { answer, say } from '#test/harness/interns/interns.ts'
import { until } from '#test/harness/until.ts'
import { runCli } from '../cli.ts'

type WaitFor = (text: string | RegExp) => Promise<unknown>

/** Starts `signalbox chat`, with a terminal or with piped input. */
function chat(
  service: InternChatService,
  { person = false, key = service.apiKey, args = ['ada'], columns = 200 } = {},
) {
  const [input, output] = [new PassThrough(), new PassThrough()]
  if (person) Object.assign(input, { isTTY: true, setRawMode: () => input })
  if (person) Object.assign(output, { isTTY: true, columns })
  let displayed = ''
  output.setEncoding('utf8').on('data', (text: string) => {
    displayed += text
  })
  const err: string[] = []
  const exited = runCli(['chat', ...args], {
    env: { SIGNALBOX_URL: service.url, SIGNALBOX_KEY: key },
    out: () => {},
    err: (text) => void err.push(text),
    screen: () => ({ input, output }) as never,
  }).then((code) => ({ code, err: err.join('\n'), displayed: stripVTControlCharacters(displayed), raw: displayed }))
  const types = (text: string) => void input.write(text)
  let from = 0
  /** Waits for this text after the previous match. */
  const sees: WaitFor = (expected) =>
    until(() => {
      const now = stripVTControlCharacters(displayed)
      const at = typeof expected === 'string' ? now.indexOf(expected, from) : now.slice(from).search(expected) + from
      if (at < from) return false
      from = at + 1
      return true
    })
  return { exited, types, ends: () => input.end(), sees, displayed: () => stripVTControlCharacters(displayed) }
}

const isWorking = async (service: InternChatService) => {
  const { body } = await service.ask('GET', '/interns/ada/sessions?limit=1')
  return body.data[0]?.status === 'running'
}

/** Longer than the pause after which a single key counts as an answer. */
const pause = () => sleep(700)

const permission = 'permission shell allow_once allow_always'
const form = JSON.stringify({
  type: 'object',
  properties: { city: { type: 'string' }, days: { type: 'integer', minimum: 1 } },
  required: ['city'],
})

describe('signalbox chat', () => {
  let service: InternChatService
  before(async () => {
    service = await startInternChatService({ settings: scripted })
  })
  after(() => service[Symbol.asyncDispose]())

  test('piped input is sent line by line, and its end ends the chat', async () => {
    const piped = chat(service)
    piped.types(`say hello\n${permission}\no\nsay bye\n`)
    piped.ends()
    const { code, displayed, err } = await piped.exited
    assert.deepEqual([code, err], [0, ''])
    assert.match(
      displayed,
      /^Chatting with ada\.[\s\S]*hello[\s\S]*\? shell[\s\S]*\[allow_once-0\][\s\S]*bye[\s\S]*To continue: /,
    )
  })

  test('leaving at a question cancels it, so that the session can continue', async () => {
    for (const asks of [permission, `ask ${form}`]) {
      const first = chat(service)
      first.types(`${asks}\n`)
      first.ends()
      const { code, displayed } = await first.exited
      assert.equal(code, 0)
      const session = /--session (\S+)/.exec(displayed)![1]!
      const next = chat(service, { args: ['ada', '--session', session] })
      next.types('say here again\n')
      next.ends()
      assert.match((await next.exited).displayed, /here again/)
    }
  })

  test('a permission accepts one of its keys and Enter, and rejects other text', async () => {
    const person = chat(service, { person: true })
    await person.sees('> ')
    person.types(`${permission}\r`)
    await person.sees('? shell')
    person.types('what?\r')
    await person.sees('Type one of o, a, c and press Enter.')
    person.types('always allow\r')
    await person.sees('[allow_always-1]')
    person.types('\x04')
    assert.equal((await person.exited).code, 0)
  })

  test('a prompt after a question of several terminal lines overwrites no output', async () => {
    const person = chat(service, { person: true, columns: 40 })
    const answers = { o: '[allow_once-0]', '\x03': '[cancelled]' }
    await person.sees('> ')
    for (const [key, reply] of Object.entries(answers)) {
      person.types(`${permission}\r`)
      await person.sees('[c] cancel > ')
      await pause()
      person.types(key)
      await person.sees(reply)
      await person.sees('\n> ')
    }
    person.types('\x04')
    const { raw } = await person.exited
    for (const reply of Object.values(answers)) {
      const [next] = raw.slice(raw.indexOf(reply)).split('> ')
      assert.doesNotMatch(next!, /\x1b\[\d+A/, reply)
    }
  })

  test('a single key after a pause answers a permission; lasting answers need Enter', async () => {
    const person = chat(service, { person: true })
    await person.sees('> ')
    person.types(`${permission}\r`)
    await person.sees('[o] allow once  [a] always allow (Enter)  [c] cancel > ')
    await pause()
    person.types('a')
    await pause()
    assert.doesNotMatch(person.displayed(), /\[allow_/)
    person.types('\x7f')
    await pause()
    person.types('o')
    await person.sees('[allow_once-0]')
    person.types(`permission shell.escalate allow_once reject_once\r`)
    await person.sees('[o] allow once (Enter)  [r] reject')
    await pause()
    person.types('r')
    await person.sees('[reject_once-1]')
    person.types('\x04')
    assert.equal((await person.exited).code, 0)
  })

  test('a permission displays the diff, and says when it is cut', async () => {
    const person = chat(service, { person: true })
    await person.sees('> ')
    person.types('edit a.txt {"before": "one\\nold\\n", "after": "one\\nnew\\n"}\r')
    await person.sees(/\? edit\n[\s\S]*\+\+\+ a\.txt\n[\s\S]* {3}one\n {2}-old\n {2}\+new\n/)
    person.types('\x03')
    await person.sees('"cancelled"')
    person.types('edit b.txt {"after": "line\\n", "repeat": 300}\r')
    await person.sees(/\+line\n {2}… 101 more lines\n {2}\(Not all of it is displayed/)
    await person.sees('[o] allow once (Enter)')
    person.types('c\r')
    await person.sees('"cancelled"')
    person.types('\x04')
    await person.exited
  })

  test('tool calls are displayed with their diff and output, plans with their steps', async () => {
    const person = chat(service, { person: true })
    await person.sees('> ')
    person.types('work edit a.txt {"before": "old", "after": "new"}\rplan read, write\r')
    await person.sees(/\* edit {2}Work on a\.txt\n[\s\S]*-old\n {2}\+new\n[\s\S]*done\n/)
    await person.sees('  [>] read\n  [ ] write\n')
    person.types('\x04')
    await person.exited
  })

  test('pasted lines, and lines that end with a backslash, are one prompt', async () => {
    const person = chat(service, { person: true })
    await person.sees('> ')
    person.types('\x1b[200~say one\rsay two\r\x1b[201~say three\r')
    await person.sees(/onetwothree/)
    person.types('say four\\\rsay five\r')
    await person.sees(/fourfive/)
    person.types('\x04')
    assert.match((await person.exited).raw, /^[\s\S]*\x1b\[\?2004h[\s\S]*\x1b\[\?2004l/)
  })

  test('lines that are pasted into a field are one value of it', async () => {
    const person = chat(service, { person: true })
    await person.sees('> ')
    person.types(`ask ${form}\r`)
    await person.sees('city (text)> ')
    person.types('\x1b[200~Rio de\rJaneiro\x1b[201~\r')
    await person.sees('days (a whole number, optional)> ')
    person.types('2\r')
    await person.sees('[y] send')
    person.types('y\r')
    await person.sees('{"city":"Rio de\\nJaneiro","days":2}')
    person.types('\x04')
    assert.equal((await person.exited).code, 0)
  })

  test('/files lists a folder whose name contains spaces', async () => {
    await service.ask('POST', '/interns/ada/files/folders', { body: { path: 'my notes/of today' } })
    const person = chat(service, { person: true })
    await person.sees('> ')
    person.types('/files my notes\r')
    await person.sees('of today/')
    person.types('\x04')
    assert.equal((await person.exited).code, 0)
    await service.ask('DELETE', '/interns/ada/files?path=my+notes&recursive=true')
  })

  test('commands list and continue sessions, show the model, and change the mode', async () => {
    const earlier = await say(service, 'ada', 'say a title of mine')
    const person = chat(service, { person: true })
    await person.sees('> ')
    person.types('/sessions\r')
    await person.sees(/1 +\d{4}-\d\d-\d\d \d\d:\d\d +idle +say a title of mine/)
    person.types('/sessions 1\r')
    await person.sees('Continuing "say a title of mine".')
    person.types('/mode self-drive\r')
    await person.sees(/self-drive\n/)
    person.types('permission shell allow_once\r')
    await person.sees('[allow_once-0]')
    person.types('/mode wild\r')
    await person.sees('not "wild"')
    person.types('/model\r')
    await person.sees('The intern uses the default model of the service.')
    person.types('/files\r')
    await person.sees('The folder is empty.')
    person.types('/files ../..\r')
    await person.sees(/refused \(4\d\d\)/)
    person.types('/what\r')
    await person.sees('/sessions [n]')
    person.types('\x04')
    assert.match((await person.exited).displayed, new RegExp(`--session ${earlier.sessionId}`))
  })

  test('Ctrl-C twice leaves, at the prompt and while the intern works', async () => {
    const idle = chat(service, { person: true })
    await idle.sees('> ')
    idle.types('\x03')
    await idle.sees('Press Ctrl-C again to leave')
    idle.types('\x03')
    assert.equal((await idle.exited).code, 0)
    const working = chat(service, { person: true })
    await working.sees('> ')
    working.types('stream 1000 50\r')
    await working.sees('word2')
    working.types('\x03')
    working.types('\x03')
    assert.equal((await working.exited).code, 0)
  })

  test('a lost connection is reported in one sentence, and the chat can continue', async () => {
    await using proxy = await startTcpProxy(service.url)
    const person = chat({ ...service, url: `${proxy.url}` }, { person: true })
    await person.sees('> ')
    person.types('stream 1000 50\r')
    await person.sees('word2')
    proxy.turn('cut')
    await person.sees(/The response from \S+ ended early \(.+\)\./)
    person.types('say nothing\r')
    await person.sees(/closed the connection without a response/)
    proxy.turn('open')
    person.types('permission shell allow_once\r')
    await person.sees('? shell')
    proxy.turn('cut')
    person.types('o\r')
    await person.sees(/closed the connection without a response/)
    proxy.turn('open')
    person.types('say at last\r')
    await person.sees('Answer the open question first')
    await person.sees('? shell')
    person.types('o\r')
    await person.sees(/\[allow_once-0\][\s\S]*at last/)
    person.types('\x04')
    assert.equal((await person.exited).code, 0)
  })

  test('text typed while the intern works is the next prompt, not an answer', async () => {
    const person = chat(service, { person: true })
    await person.sees('> ')
    person.types(`wait 1000\n${permission}\r`.replace('\n', '\\\r'))
    await until(() => isWorking(service))
    person.types('say ahead\ro')
    await person.sees('(next: say ahead)')
    await person.sees('? shell')
    await pause()
    person.types('\r')
    await person.sees('Type one of o, a, c and press Enter.')
    person.types('\x03')
    await person.sees('[cancelled]')
    await person.sees(/> say ahead\n[\s\S]*ahead[\s\S]*> o/)
    person.types('\x15exit\r')
    assert.equal((await person.exited).code, 0)
    const patient = chat(service, { person: true })
    await patient.sees('> ')
    patient.types('wait 1000\r')
    await until(() => isWorking(service))
    patient.types('say ahead\rsay sta')
    await patient.sees('> say ahead')
    await patient.sees('ahead')
    await patient.sees('say sta')
    patient.types('rted\r')
    await patient.sees('started')
    patient.types('\x04')
    assert.equal((await patient.exited).code, 0)
  })

  test('a form describes its fields, repeats after an error, and Ctrl-C cancels it', async () => {
    const person = chat(service, { person: true })
    await person.sees('> ')
    person.types(`ask ${form}\r`)
    await person.sees('city (text)> ')
    person.types('\r')
    await person.sees('This field is required.')
    person.types('Oslo\r')
    await person.sees('days (a whole number, optional)> ')
    person.types('many\r')
    await person.sees('Enter a whole number.')
    person.types('0\r')
    await person.sees('[y] send')
    person.types('y\r')
    await person.sees(/refused \(400\)/)
    await person.sees('city (text)> ')
    person.types('\x03')
    await person.sees('{"action":"cancel"}')
    person.types('\x04')
    assert.equal((await person.exited).code, 0)
  })

  test('--session continues a session, and /new starts another one', async () => {
    const first = chat(service)
    first.types('say one\n')
    first.ends()
    const id = /--session (\S+)/.exec((await first.exited).displayed)?.[1]
    assert.ok(id)
    const second = chat(service, { args: ['ada', '--session', id] })
    second.types('say two\n/new\nsay three\n/exit\nsay never\n')
    const { displayed } = await second.exited
    assert.match(displayed, /two[\s\S]*three/)
    assert.doesNotMatch(displayed, /never\n/)
    assert.notEqual(/--session (\S+)/.exec(displayed)?.[1], id)
  })

  test('continuing a session with an open question asks that question', async () => {
    const first = await say(service, 'ada', `${permission}\nsay on`)
    const person = chat(service, { args: ['ada', '--session', first.sessionId!] })
    await person.sees('? shell')
    person.types('o\n')
    await person.sees('[allow_once-0]')
    person.ends()
    assert.match((await person.exited).displayed, /on\n[\s\S]*To continue: /)
  })

  test('a question that another client answers or cancels leaves the prompt', async () => {
    const first = await say(service, 'ada', permission)
    const person = chat(service, { person: true, args: ['ada', '--session', first.sessionId!] })
    await person.sees('[c] cancel > ')
    person.types('al')
    await answer(service, service.id, first, 'allow_once')
    await person.sees(/answered the question: allow_once\.\n[\s\S]*\n> /)
    person.types(`ask ${form}\r`)
    await person.sees('city (text)> ')
    const run = await until(async () => (await service.ask('GET', '/interns/ada/runs?status=waiting')).body.data[0])
    await service.ask('POST', `/interns/ada/runs/${run.id}/cancel`)
    await person.sees('The run ended, so the question is closed.')
    person.types('say after\r')
    await person.sees(/after\n/)
    person.types('\x04')
    assert.equal((await person.exited).code, 0)
  })

  test('a question that expires leaves the prompt without a key press', async () => {
    await using impatient = await startInternChatService({ settings: { ...scripted, intern_question_ms: 2000 } })
    const person = chat(impatient, { person: true })
    await person.sees('> ')
    person.types(`${permission}\r`)
    await person.sees('[c] cancel > ')
    await person.sees('The question expired, and the run ended.')
    await person.sees('\n> ')
    person.types('say after\r')
    await person.sees(/after\n/)
    person.types('\x04')
    assert.equal((await person.exited).code, 0)
  })

  test('control characters of agents and piped input do not reach the terminal', async () => {
    const field = { type: 'string', enum: ['a\u202eb'] }
    const schema = JSON.stringify({ type: 'object', properties: { 'na\u001b[1mme': field }, title: 'T\u0007' })
    const piped = chat(service)
    piped.types('say before\u001b]52;c;cm0gLXJm\u0007after\n')
    piped.types(`permission sh\u001b[2K\u202eell allow_once\no\nask ${schema}\n`)
    piped.types('fail \u009b2Jbroken\n')
    piped.ends()
    const { code, raw } = await piped.exited
    assert.equal(code, 0)
    assert.doesNotMatch(raw, /[\0-\x08\x0b-\x1f\x7f-\x9f]|\p{Cf}/u)
    for (const text of [
      'before\\x1b]52;c;cm0gLXJm\\x07after',
      '? permission  sh\\x1b[2K\\u202eell',
      'na\\x1b[1mme (one of a\\u202eb',
    ])
      assert.ok(raw.includes(text), raw)
    assert.match(raw, /T\\x07[\s\S]*\\x9b2Jbroken/)
  })

  test('chat fails before the first prompt if the intern cannot be used', async () => {
    const managing = chat(service, { key: service.managementKey })
    const unknown = chat(service, { args: ['nobody'] })
    assert.match((await managing.exited).err, /^The service refused \(40\d\)/)
    assert.match((await unknown.exited).err, /^The service refused \(404\): Intern not found/)
    await service.ask('POST', '/interns', { body: { name: 'idle', agent: 'scripted' } })
    const stopped = await chat(service, { args: ['idle'] }).exited
    assert.deepEqual([stopped.code, stopped.displayed], [1, ''])
    assert.match(stopped.err, /^"idle" is \w+\. To start it: npx signalbox interns provision idle$/)
  })
})
