import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { stripVTControlCharacters } from 'node:util'
import { startDetour } from '#test/harness/detour.ts'
import { scripted, startTalk, type Talk } from '#test/harness/intern-chat.ts'
import { say } from '#test/harness/interns.ts'
import { until } from '#test/harness/until.ts'
import { runCli } from '../cli.ts'

type Chat = { types: (text: string) => void; ends: () => void; sees: (text: string | RegExp) => Promise<unknown> }

/** `signalbox chat`, with a person at a terminal or with text piped in. */
function chat(service: Talk, { person = false, key = service.apiKey, args = ['ada'], columns = 200 } = {}) {
  const [input, output] = [new PassThrough(), new PassThrough()]
  if (person) Object.assign(input, { isTTY: true, setRawMode: () => input })
  if (person) Object.assign(output, { isTTY: true, columns })
  let shown = ''
  output.setEncoding('utf8').on('data', (text: string) => {
    shown += text
  })
  const err: string[] = []
  const left = runCli(['chat', ...args], {
    env: { SIGNALBOX_URL: service.url, SIGNALBOX_KEY: key },
    out: () => {},
    err: (text) => void err.push(text),
    screen: () => ({ input, output }) as never,
  }).then((code) => ({ code, err: err.join('\n'), shown: stripVTControlCharacters(shown), raw: shown }))
  const types = (text: string) => void input.write(text)
  let from = 0
  /** Sees it after what was seen before. */
  const sees: Chat['sees'] = (wanted) =>
    until(() => {
      const now = stripVTControlCharacters(shown)
      const at = typeof wanted === 'string' ? now.indexOf(wanted, from) : now.slice(from).search(wanted) + from
      if (at < from) return false
      from = at + 1
      return true
    })
  return { left, types, ends: () => input.end(), sees, shown: () => stripVTControlCharacters(shown) }
}

const isWorking = async (service: Talk) => {
  const { body } = await service.ask('GET', '/interns/ada/sessions?limit=1')
  return body.data[0]?.status === 'running'
}

/** Longer than somebody takes from one key to the next. */
const aPause = () => sleep(700)

const permission = 'permission shell allow_once allow_always'
const form = JSON.stringify({
  type: 'object',
  properties: { city: { type: 'string' }, days: { type: 'integer', minimum: 1 } },
  required: ['city'],
})

describe('signalbox chat', () => {
  let service: Talk
  before(async () => {
    service = await startTalk({ settings: scripted })
  })
  after(() => service[Symbol.asyncDispose]())

  test('what is piped in is said line by line, and its end is the end', async () => {
    const piped = chat(service)
    piped.types(`say hello\n${permission}\no\nsay bye\n`)
    piped.ends()
    const { code, shown, err } = await piped.left
    assert.deepEqual([code, err], [0, ''])
    assert.match(
      shown,
      /^Talking to ada\.[\s\S]*hello[\s\S]*\? shell[\s\S]*\[allow_once-0\][\s\S]*bye[\s\S]*To go on: /,
    )
  })

  test('who leaves at a question cancels it, so that the session can go on', async () => {
    for (const asks of [permission, `ask ${form}`]) {
      const first = chat(service)
      first.types(`${asks}\n`)
      first.ends()
      const { code, shown } = await first.left
      assert.equal(code, 0)
      const session = /--session (\S+)/.exec(shown)![1]!
      const next = chat(service, { args: ['ada', '--session', session] })
      next.types('say here again\n')
      next.ends()
      assert.match((await next.left).shown, /here again/)
    }
  })

  test('a permission takes one of its keys and Enter, nothing else, and no key that was pressed before', async () => {
    const person = chat(service, { person: true })
    await person.sees('> ')
    person.types(`${permission}\r`)
    await person.sees('? shell')
    person.types('what?\r')
    await person.sees('Type one of o, a, c, and Enter.')
    person.types('always allow\r')
    await person.sees('[allow_always-1]')
    person.types('\x04')
    assert.equal((await person.left).code, 0)
  })

  test('where a question takes several lines of the terminal, the next prompt wipes out nothing that was said', async () => {
    const person = chat(service, { person: true, columns: 40 })
    const answers = { o: '[allow_once-0]', '\x03': '[cancelled]' }
    await person.sees('> ')
    for (const [key, said] of Object.entries(answers)) {
      person.types(`${permission}\r`)
      await person.sees('[c] cancel > ')
      await aPause()
      person.types(key)
      await person.sees(said)
      await person.sees('\n> ')
    }
    person.types('\x04')
    const { raw } = await person.left
    for (const said of Object.values(answers)) {
      const [next] = raw.slice(raw.indexOf(said)).split('> ')
      assert.doesNotMatch(next!, /\x1b\[\d+A/, said)
    }
  })

  test('one key answers, pressed by itself after a pause; what holds for longer takes Enter', async () => {
    const person = chat(service, { person: true })
    await person.sees('> ')
    person.types(`${permission}\r`)
    await person.sees('[o] allow once  [a] always allow (Enter)  [c] cancel > ')
    await aPause()
    person.types('a')
    await aPause()
    assert.doesNotMatch(person.shown(), /\[allow_/)
    person.types('\x7f')
    await aPause()
    person.types('o')
    await person.sees('[allow_once-0]')
    person.types(`permission shell.escalate allow_once reject_once\r`)
    await person.sees('[o] allow once (Enter)  [r] reject')
    await aPause()
    person.types('r')
    await person.sees('[reject_once-1]')
    person.types('\x04')
    assert.equal((await person.left).code, 0)
  })

  test('what would be written is shown line by line, and a long change says that it is', async () => {
    const person = chat(service, { person: true })
    await person.sees('> ')
    person.types('edit a.txt {"before": "one\\nold\\n", "after": "one\\nnew\\n"}\r')
    await person.sees(/\? edit\n[\s\S]*\+\+\+ a\.txt\n[\s\S]* {3}one\n {2}-old\n {2}\+new\n/)
    person.types('\x03')
    await person.sees('"cancelled"')
    person.types('edit b.txt {"after": "line\\n", "repeat": 300}\r')
    await person.sees(/\+line\n {2}… 101 more lines\n {2}\(It is long: read all of it/)
    await person.sees('[o] allow once (Enter)')
    person.types('c\r')
    await person.sees('"cancelled"')
    person.types('\x04')
    await person.left
  })

  test('tool calls are cards: what is called, what changes, what came out', async () => {
    const person = chat(service, { person: true })
    await person.sees('> ')
    person.types('work edit a.txt {"before": "old", "after": "new"}\rplan read, write\r')
    await person.sees(/\* edit {2}Work on a\.txt\n[\s\S]*-old\n {2}\+new\n[\s\S]*done\n/)
    await person.sees('  [>] read\n  [ ] write\n')
    person.types('\x04')
    await person.left
  })

  test('a pasted text stays together, and so does one whose lines end with a backslash', async () => {
    const person = chat(service, { person: true })
    await person.sees('> ')
    person.types('\x1b[200~say one\rsay two\r\x1b[201~say three\r')
    await person.sees(/onetwothree/)
    person.types('say four\\\rsay five\r')
    await person.sees(/fourfive/)
    person.types('\x04')
    assert.match((await person.left).raw, /^[\s\S]*\x1b\[\?2004h[\s\S]*\x1b\[\?2004l/)
  })

  test('commands list sessions and go back to one, tell the model, and change the mode', async () => {
    const earlier = await say(service, 'ada', 'say a title of mine')
    const person = chat(service, { person: true })
    await person.sees('> ')
    person.types('/sessions\r')
    await person.sees(/1 +\d{4}-\d\d-\d\d \d\d:\d\d +idle +say a title of mine/)
    person.types('/sessions 1\r')
    await person.sees('Going on with "say a title of mine".')
    person.types('/mode self-drive\r')
    await person.sees(/self-drive\n/)
    person.types('permission shell allow_once\r')
    await person.sees('[allow_once-0]')
    person.types('/mode wild\r')
    await person.sees('not "wild"')
    person.types('/model\r')
    await person.sees('The model is the service’s own choice.')
    person.types('/files\r')
    await person.sees('Nothing is in there.')
    person.types('/files ../..\r')
    await person.sees(/refused \(4\d\d\)/)
    person.types('/what\r')
    await person.sees('/sessions [n]')
    person.types('\x04')
    assert.match((await person.left).shown, new RegExp(`--session ${earlier.sessionId}`))
  })

  test('Ctrl-C twice leaves, at the prompt and while the intern works', async () => {
    const idle = chat(service, { person: true })
    await idle.sees('> ')
    idle.types('\x03')
    await idle.sees('once more leaves')
    idle.types('\x03')
    assert.equal((await idle.left).code, 0)
    const working = chat(service, { person: true })
    await working.sees('> ')
    working.types('stream 1000 50\r')
    await working.sees('word2')
    working.types('\x03')
    working.types('\x03')
    assert.equal((await working.left).code, 0)
  })

  test('a service that goes away in a reply or at a question is one sentence, and the way back is open', async () => {
    await using proxy = await startDetour(service.url)
    const person = chat({ ...service, url: `${proxy.url}` }, { person: true })
    await person.sees('> ')
    person.types('stream 1000 50\r')
    await person.sees('word2')
    proxy.turn('cut')
    await person.sees(/The answer of \S+ broke off \(.+\)\./)
    person.types('say nothing\r')
    await person.sees(/Nothing answers at \S+ \(.+\): start the service/)
    proxy.turn('open')
    person.types('permission shell allow_once\r')
    await person.sees('? shell')
    proxy.turn('cut')
    person.types('o\r')
    await person.sees(/Nothing answers at/)
    proxy.turn('open')
    person.types('say at last\r')
    await person.sees('Its question waits for an answer')
    await person.sees('? shell')
    person.types('o\r')
    await person.sees(/\[allow_once-0\][\s\S]*at last/)
    person.types('\x04')
    assert.equal((await person.left).code, 0)
  })

  test('what is typed while the intern speaks answers no question: it is said next', async () => {
    const person = chat(service, { person: true })
    await person.sees('> ')
    person.types(`wait 1000\n${permission}\r`.replace('\n', '\\\r'))
    await until(() => isWorking(service))
    person.types('say ahead\ro')
    await person.sees('(next: say ahead)')
    await person.sees('? shell')
    await aPause()
    person.types('\r')
    await person.sees('Type one of o, a, c, and Enter.')
    person.types('\x03')
    await person.sees('[cancelled]')
    await person.sees(/> say ahead\n[\s\S]*ahead[\s\S]*> o/)
    person.types('\x15exit\r')
    assert.equal((await person.left).code, 0)
    const patient = chat(service, { person: true })
    await patient.sees('> ')
    patient.types('wait 1000\r')
    await until(() => isWorking(service))
    patient.types('say ahead\rsay be')
    await patient.sees('> say ahead')
    await patient.sees('ahead')
    await patient.sees('say be')
    patient.types('gun\r')
    await patient.sees('begun')
    patient.types('\x04')
    assert.equal((await patient.left).code, 0)
  })

  test('a form says what each field must be, is asked again where the service refuses, and Ctrl-C cancels it', async () => {
    const person = chat(service, { person: true })
    await person.sees('> ')
    person.types(`ask ${form}\r`)
    await person.sees('city (a text)> ')
    person.types('\r')
    await person.sees('It is required.')
    person.types('Oslo\r')
    await person.sees('days (a whole number, may stay empty)> ')
    person.types('many\r')
    await person.sees('It must be a whole number.')
    person.types('0\r')
    await person.sees('[y] send')
    person.types('y\r')
    await person.sees(/refused \(400\)/)
    await person.sees('city (a text)> ')
    person.types('\x03')
    await person.sees('{"action":"cancel"}')
    person.types('\x04')
    assert.equal((await person.left).code, 0)
  })

  test('a session can be gone on with, and begun anew', async () => {
    const first = chat(service)
    first.types('say one\n')
    first.ends()
    const id = /--session (\S+)/.exec((await first.left).shown)?.[1]
    assert.ok(id)
    const second = chat(service, { args: ['ada', '--session', id] })
    second.types('say two\n/new\nsay three\n/exit\nsay never\n')
    const { shown } = await second.left
    assert.match(shown, /two[\s\S]*three/)
    assert.doesNotMatch(shown, /never\n/)
    assert.notEqual(/--session (\S+)/.exec(shown)?.[1], id)
  })

  test('who goes on with a session that waits for an answer is shown the question, and answers it', async () => {
    const asked = await say(service, 'ada', `${permission}\nsay on`)
    const person = chat(service, { args: ['ada', '--session', asked.sessionId!] })
    await person.sees('? shell')
    person.types('o\n')
    await person.sees('[allow_once-0]')
    person.ends()
    assert.match((await person.left).shown, /on\n[\s\S]*To go on: /)
  })

  test('nothing that an agent says, or that is piped in, acts on the terminal', async () => {
    const field = { type: 'string', enum: ['a\u202eb'] }
    const schema = JSON.stringify({ type: 'object', properties: { 'na\u001b[1mme': field }, title: 'T\u0007' })
    const piped = chat(service)
    piped.types('say before\u001b]52;c;cm0gLXJm\u0007after\n')
    piped.types(`permission sh\u001b[2K\u202eell allow_once\no\nask ${schema}\n`)
    piped.types('fail \u009b2Jbroken\n')
    piped.ends()
    const { code, raw } = await piped.left
    assert.equal(code, 0)
    assert.doesNotMatch(raw, /[\0-\x08\x0b-\x1f\x7f-\x9f]|\p{Cf}/u)
    for (const told of [
      'before\\x1b]52;c;cm0gLXJm\\x07after',
      '? permission  sh\\x1b[2K\\u202eell',
      'na\\x1b[1mme (one of a\\u202eb',
    ])
      assert.ok(raw.includes(told), raw)
    assert.match(raw, /T\\x07[\s\S]*\\x9b2Jbroken/)
  })

  test('whoever cannot talk is told before they say anything', async () => {
    const managing = chat(service, { key: service.managementKey })
    const unknown = chat(service, { args: ['nobody'] })
    assert.match((await managing.left).err, /^The service refused \(40\d\)/)
    assert.match((await unknown.left).err, /^The service refused \(404\): There is no such intern/)
    await service.ask('POST', '/interns', { body: { name: 'idle', agent: 'scripted' } })
    const stopped = await chat(service, { args: ['idle'] }).left
    assert.deepEqual([stopped.code, stopped.shown], [1, ''])
    assert.match(stopped.err, /^"idle" is \w+: start it with "npx signalbox interns provision idle"\.$/)
  })
})
