import { applyPatch } from './apply_patch.ts'
import { askUser } from './ask_user.ts'
import { delegate } from './delegate.ts'
import { editFile } from './edit_file.ts'
import { listFiles } from './list_files.ts'
import { readFile } from './read_file.ts'
import { readProcess } from './read_process.ts'
import { search } from './search.ts'
import { shell } from './shell.ts'
import { startProcess } from './start_process.ts'
import { stopProcess } from './stop_process.ts'
import type { Tool } from './tool.ts'
import { updatePlan } from './update_plan.ts'
import { writeFile } from './write_file.ts'

/** The tools of every agent. A new one is a file in this folder and a line here. `bin/agent.ts` adds `web_fetch`. */
export const tools: Tool[] = [
  shell,
  startProcess,
  readProcess,
  stopProcess,
  readFile,
  writeFile,
  editFile,
  applyPatch,
  listFiles,
  search,
  askUser,
  updatePlan,
  delegate,
]
