import { readFileSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'

enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/compile', import.meta.url)))
const { ndJsonStream } = await import('@agentclientprotocol/sdk')
const { createScriptedAgent } = await import('#daemon/scripted/scripted-agent.ts')

/**
 * The abilities of this agent. `never`, `load` or `resume`: how it opens a session of an earlier process. `modeless`: it
 * offers no modes. `http` and `sse`: its MCP transports. `image`, `audio` and `embedded`: the content types of its prompts.
 * `late`: it can send output after the end of a turn.
 */
const abilities = process.argv.slice(2)
const contentTypes = [
  ['image', 'image'],
  ['audio', 'audio'],
  ['embedded', 'embeddedContext'],
] as const
const restore = (['never', 'load', 'resume'] as const).find((ability) => abilities.includes(ability)) ?? 'load'
const { closed } = createScriptedAgent({
  restore,
  hasModes: !abilities.includes('modeless'),
  hasLateUpdates: abilities.includes('late'),
  mcpTransports: (['http', 'sse'] as const).filter((transport) => abilities.includes(transport)),
  promptContent: contentTypes.filter(([ability]) => abilities.includes(ability)).map(([, content]) => content),
  writeRaw: (bytes) => process.stdout.write(bytes),
  crash: () => process.kill(process.pid, 'SIGKILL'),
  writeStderr: (text) => process.stderr.write(`${text}\n`),
  askModel: async (prompt) => {
    const { SIGNALBOX_BASE_URL_FILE: file, SIGNALBOX_API_KEY: key, SIGNALBOX_MODEL: model } = process.env
    const url = file ? readFileSync(file, 'utf8') : process.env.SIGNALBOX_BASE_URL
    const response = await fetch(`${url}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: prompt }] }),
    })
    const { choices } = (await response.json()) as { choices: { message: { content: string } }[] }
    return choices[0]?.message.content ?? ''
  },
}).connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)))
await closed
process.exit(0)
