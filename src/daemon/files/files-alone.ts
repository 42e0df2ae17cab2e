import { z } from 'zod'
import { Refusal } from '#interns/refusal.ts'
import type { Runs } from '#interns/runs.ts'
import { workspaceFiles } from './workspace-files.ts'

const Settings = z.object({
  token: z.string().min(1),
  workspace: z.string().min(1),
  state: z.string().min(1),
  limits: z.object({ maxUploadBytes: z.number(), maxDiskBytes: z.number() }),
})
export type FilesSettings = z.infer<typeof Settings>

/** What a daemon offers while its intern does not run: its files. */
export function filesAlone(json: string): { token: string; runs: Runs } {
  const { token, ...settings } = Settings.parse(JSON.parse(json))
  const refuse = async () => {
    throw new Refusal('intern_unreachable', 'The intern is not running.')
  }
  const transcripts = { list: refuse, read: refuse, follow: refuse, milestones: refuse }
  const none = { start: refuse, answer: refuse, cancel: refuse, question: refuse, health: refuse }
  return { token, runs: { transcripts, ...none, files: workspaceFiles(settings) } }
}
