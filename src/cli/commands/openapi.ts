import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Command } from 'commander'
import { describeApi } from '#api/server/description.ts'
import type { Terminal } from '../kit/terminal.ts'

const committedFile = fileURLToPath(new URL('../../../openapi.json', import.meta.url))

export function openapiCommand(command: Command, { out }: Terminal): void {
  command
    .option('--write', 'Write openapi.json in the source folder instead')
    .action((options: { write?: boolean }) => {
      const text = JSON.stringify(describeApi(), null, 2)
      if (options.write) writeFileSync(committedFile, `${text}\n`)
      else out(text)
    })
}
