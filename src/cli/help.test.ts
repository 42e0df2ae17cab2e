import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { Command } from 'commander'
import { addCommands, runCli } from './cli.ts'
import type { Terminal } from './kit/terminal.ts'

const silent: Terminal = { env: {}, out: () => {}, err: () => {} }

/** The path of every command and subcommand, such as `['keys', 'list']`. */
function everyCommand(command: Command, path: string[] = []): { command: Command; path: string[] }[] {
  const below = command.commands.flatMap((one) => everyCommand(one, [...path, one.name()]))
  return path.length === 0 ? below : [{ command, path }, ...below]
}

const program = new Command('signalbox')
await addCommands(program, silent)
const commands = everyCommand(program)

async function helpOf(...args: string[]): Promise<string> {
  const printed = { out: '', err: '' }
  const code = await runCli(args, {
    env: {},
    out: (text) => (printed.out += text),
    err: (text) => (printed.err += text),
  })
  assert.deepEqual([code, printed.err], [0, ''], args.join(' '))
  return printed.out
}

test('every command and subcommand answers --help and -h with its own usage', async () => {
  assert.ok(commands.length > 60)
  for (const { command, path } of commands) {
    const usage = `Usage: signalbox ${path.join(' ')} ${command.usage()}`.trimEnd()
    for (const flag of ['--help', '-h']) {
      const help = await helpOf(...path, flag)
      assert.equal(help.split('\n')[0], usage)
      assert.ok(command.description() !== '' && help.replaceAll(/\s+/g, ' ').includes(command.description()), usage)
    }
  }
})

test('help before the name of a command shows the help of that command', async () => {
  for (const { path } of commands) {
    const help = await helpOf(...path, '--help')
    assert.equal(await helpOf(...path.slice(0, -1), 'help', path.at(-1)!), help)
    assert.equal(await helpOf('help', ...path), help)
  }
  assert.equal(await helpOf('help'), await helpOf('--help'))
})

test('help before an unknown command is an error that names it', async () => {
  const refused: string[] = []
  const terminal = { ...silent, err: (text: string) => refused.push(text) }
  for (const args of [
    ['help', 'lost'],
    ['help', 'keys', 'lost'],
    ['keys', 'help', 'lost'],
    ['help', 'byok', 'lost', '-h'],
  ]) {
    assert.equal(await runCli(args, terminal), 1)
    assert.match(refused.splice(0).join('\n'), /^error: unknown command 'lost'\n.*Add --help to see/s)
  }
})

test('every option of a command has a description', () => {
  for (const { command, path } of commands) {
    for (const { description, flags } of command.options) assert.ok(description, `${path.join(' ')} ${flags}`)
  }
})

test('no line of help is longer than 80 characters', async () => {
  for (const path of [[], ...commands.map((one) => one.path)]) {
    const help = await helpOf(...path, '--help')
    assert.deepEqual(
      help.split('\n').filter((line) => line.length > 80),
      [],
      path.join(' '),
    )
  }
})

test('help states no default twice, none that is empty, and none for an update', async () => {
  for (const { path } of commands) {
    const help = (await helpOf(...path, '--help')).replaceAll(/\s+/g, ' ')
    assert.doesNotMatch(help, /\(default: (""|\[\])\)|\(default: [^)]*\) \(default: /, path.join(' '))
  }
  assert.doesNotMatch(await helpOf('webhooks', 'set', '--help'), /default: all/)
})

test('--version after a command is an option of that command', async () => {
  const printed: string[] = []
  const print = (text: string) => void printed.push(text)
  const args = ['interns', 'rules', 'get', 'ada', '--version', '7']
  assert.equal(await runCli(args, { env: {}, out: print, err: print }), 1)
  assert.deepEqual(printed, ['Set SIGNALBOX_KEY to an API key of the service.'])
})

test('--help loads neither commands nor schemas', () => {
  const program = `
    import { registerHooks } from 'node:module'
    const loaded = []
    registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) })
    const { runCli } = await import('${new URL('cli.ts', import.meta.url)}')
    await runCli(['--help'], { env: {}, out: () => {}, err: () => {} })
    console.log(loaded.join('\\n'))`
  const loaded = execFileSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' })
  assert.match(loaded, /src\/cli\/cli\.ts/)
  assert.doesNotMatch(loaded, /cli\/(api-commands|commands|chat|acp|import)\/|\/zod\//)
})
