import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Command } from 'commander'
import { describeApi } from '#api/server/description.ts'
import type { Terminal } from '../kit/terminal.ts'

const checkedIn = fileURLToPath(new URL('../../../openapi.json', import.meta.url))

export function openapiCommand(program: Command, { out }: Terminal): void {
  program
    .command('openapi')
    .description("print the API's description (OpenAPI 3.1)")
    .option('--write', 'write it to openapi.json in the checkout instead')
    .action((options: { write?: boolean }) => {
      const text = JSON.stringify(describeApi(), null, 2)
      if (options.write) writeFileSync(checkedIn, `${text}\n`)
      else out(text)
    })
}
