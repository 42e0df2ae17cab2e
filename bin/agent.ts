import { existsSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'

// The builtin agent of interns. Speaks the Agent Client Protocol over its standard streams with the daemon that starts it.
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/compile', import.meta.url)))
// Static imports would be loaded before the compile cache is enabled.
const { ndJsonStream } = await import('@agentclientprotocol/sdk')
const { createAgent } = await import('#agent/loop/agent.ts')
const { readSettings } = await import('#agent/loop/settings.ts')
const { createSessionStore } = await import('#agent/loop/session/session-store.ts')
const { createShell } = await import('#agent/sandbox/shell.ts')
const { tools } = await import('#agent/tools/tools.ts')
const { createWebFetchTool } = await import('#agent/tools/web_fetch.ts')
const { UserFacingError } = await import('#platform/core/fault.ts')
const { newUuid } = await import('#platform/core/id.ts')
const { createOutgoingFetch } = await import('#platform/net/outgoing.ts')
const { readProxies } = await import('#platform/net/proxies.ts')
const { version } = await import('#platform/core/version.ts')

process.umask(0o077)
try {
  const settings = readSettings(process.env)
  const proxies = readProxies(process.env)
  const { sandboxProgram: program, sandboxReadable: readable, sandboxFallback } = settings
  const caFile = existingFile('NODE_EXTRA_CA_CERTS')
  const gitConfig = existingFile('GIT_CONFIG_SYSTEM')
  const sandbox = { program, path: process.env.PATH, node: process.execPath, readable, caFile, gitConfig }
  const connection = createAgent({
    settings,
    ...(await modelFor(settings)),
    tools: settings.webHosts.length > 0 ? [...tools, createWebFetchTool(settings.webHosts, proxies)] : tools,
    shell: createShell({ env: process.env, sandbox, sandboxFallback }),
    store: createSessionStore(join(settings.stateDir, 'sessions')),
    version,
    fetch: createOutgoingFetch(proxies),
    now: Date.now,
    newId: newUuid,
  }).connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)))

  // Closing the connection cancels the running turn, which then has a moment to record its end.
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => connection.close())
  await connection.closed
  setTimeout(() => process.exit(0), 500).unref()
} catch (error) {
  if (!(error instanceof UserFacingError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exit(1)
}

/** Returns the path in an environment variable, if the file exists. */
function existingFile(variable: string): string | undefined {
  const path = process.env[variable]
  return path !== undefined && existsSync(path) ? path : undefined
}

async function modelFor(settings: ReturnType<typeof readSettings>) {
  const { model, baseUrl, apiKey, windowTokens: maxTokens } = settings
  const { createCatalogueLookup, createFixedWindow } = await import('#agent/model/catalogue-lookup.ts')
  // `script` is the name of the offline model.
  if (!baseUrl || model === 'script') {
    const { createScriptModel } = await import('#agent/model/script.ts')
    return {
      model: createScriptModel({ newId: newUuid }),
      findContextWindow: createFixedWindow(maxTokens),
      checkImageInput: async () => false,
    }
  }
  const { createOpenAiModel } = await import('#agent/model/openai.ts')
  const windowAndInput = createCatalogueLookup({ baseUrl, apiKey, maxTokens, now: Date.now })
  return { model: createOpenAiModel({ baseUrl, apiKey, model, newId: newUuid }), ...windowAndInput }
}
