import { askUser } from './ask_user.ts'
import { readProcess } from './commands/read_process.ts'
import { shell } from './commands/shell.ts'
import { startProcess } from './commands/start_process.ts'
import { stopProcess } from './commands/stop_process.ts'
import { delegate } from './delegate.ts'
import { applyPatch } from './files/apply_patch.ts'
import { editFile } from './files/edit_file.ts'
import { listFiles } from './files/list_files.ts'
import { readFile } from './files/read_file.ts'
import { search } from './files/search.ts'
import { writeFile } from './files/write_file.ts'
import type { Tool } from './tool.ts'
import { updatePlan } from './update_plan.ts'

/**
 * The tools of every agent. A new one is a file in this folder, `files/` or `commands/`, and a line here. `bin/agent.ts` adds
 * `web_fetch`, which needs the allowed hosts and the proxies.
 */
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
