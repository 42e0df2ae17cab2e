import { UserFacingError } from '#platform/core/fault.ts'
import { type Choice, choose } from '../../chat/ask-user.ts'
import { createDisplay } from '../../chat/display.ts'
import { createKeyboard } from '../../chat/keyboard.ts'
import type { Terminal } from '../../kit/terminal.ts'

const modes: Choice[] = [
  { option: 'manual', key: 'm', label: 'manual', needsEnter: true },
  { option: 'self-drive', key: 's', label: 'self-drive', needsEnter: true },
]

/** Asks for the approval mode of a new intern, after `checkKey`. @returns undefined without a terminal */
export async function chooseMode(
  { screen }: Pick<Terminal, 'screen'>,
  name: string,
  checkKey: () => Promise<unknown>,
): Promise<string | undefined> {
  const streams = screen?.()
  if (!streams?.input.isTTY || !streams.output.isTTY) return undefined
  await checkKey()
  const display = createDisplay(streams.output)
  const keys = createKeyboard(streams)
  display.line(`The approval mode of "${name}":
  manual      It asks before each action, and runs commands in a sandbox.
  self-drive  Callers choose. By default it acts without asking, and runs commands without a sandbox.`)
  try {
    // The question is never withdrawn, so its signal never aborts.
    const mode = await choose(modes, { keyboard: keys, display, signal: new AbortController().signal })
    if (mode !== undefined && mode !== 'cancel') return mode
  } finally {
    keys.close()
  }
  throw new UserFacingError('No approval mode was chosen, so no intern was created.')
}
