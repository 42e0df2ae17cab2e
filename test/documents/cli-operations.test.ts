import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Command } from 'commander'
import { generatedCommands } from '#cli/api-commands/add-commands.ts'
import { operations } from '#cli/api-commands/operation.ts'
import { overrides } from '#cli/api-commands/overrides.ts'
import { addCommands } from '#cli/cli.ts'
import { checkedInTable, wantedTable } from './cli-operations.ts'

const program = new Command('signalbox')
await addCommands(program, { env: {}, out: () => {}, err: () => {} })

function commandOf(name: string): Command | undefined {
  return name
    .split(' ')
    .reduce<Command | undefined>((parent, word) => parent?.commands.find((one) => one.name() === word), program)
}

test('the operations of the command line are fresh: "npm run openapi" writes them', () => {
  assert.ok(checkedInTable() === wantedTable(), 'src/cli/api-commands/operations.json is stale: run "npm run openapi"')
})

test('every management route has a command, or a reason for having none', () => {
  const missing = Object.entries(operations).flatMap(([id, { method, path, response }]) => {
    const override = overrides[id as keyof typeof overrides]
    if (override && 'without' in override) return /^[A-Z].*\.$/.test(override.without) ? [] : [`${id}: no reason`]
    if (override && 'handWritten' in override)
      return commandOf(override.handWritten) ? [] : [`${id}: no "${override.handWritten}"`]
    const names = generatedCommands.filter((one) => one.id === id).map(({ name }) => name)
    const hasCommand = names.every((name) => commandOf(name)) && response !== 'stream' && response !== 'file'
    return hasCommand ? [] : [`${method} ${path} (${id}): no "${names}"; see src/cli/api-commands/overrides.ts`]
  })
  assert.deepEqual(missing, [])
})

test('no generated command is below a command that does something itself', () => {
  const handWritten = Object.values(overrides).flatMap((override) =>
    'handWritten' in override ? [override.handWritten] : [],
  )
  const names = [...generatedCommands.map(({ name }) => name), ...handWritten]
  const misplaced = generatedCommands.filter(({ name }) => names.some((other) => name.startsWith(`${other} `)))
  assert.deepEqual(
    misplaced.map(({ id, name }) => `${id}: choose another name than "${name}"`),
    [],
  )
})

test('overrides name fields that their operation has', () => {
  const unknown = generatedCommands.flatMap(({ id, operation, override }) =>
    [override.arguments, override.options, override.fixed, override.fromEnvironment]
      .flatMap((names) => Object.keys(names ?? {}))
      .filter((field) => !(field in operation.fields))
      .map((field) => `${id}: ${field}`),
  )
  assert.deepEqual(unknown, [])
})
