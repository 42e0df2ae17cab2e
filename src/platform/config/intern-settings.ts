import { z } from '../json/schema.ts'
import { atMost, ConfiguredAgent, milliseconds } from './setting-values.ts'

/** The settings of interns: limits, retention, and users. */
export const internSettings = {
  intern_unresponsive_ms: z.coerce
    .number()
    .int()
    .min(1000)
    .max(3_600_000)
    .default(30_000)
    .describe('How long the daemon of an intern may fail to answer before it is ended and started again.'),
  intern_idle_ms: z.coerce
    .number()
    .int()
    .min(0)
    .max(2 ** 31 - 1)
    .default(0)
    .describe(
      'After how long without a turn the processes of an intern end, until the next prompt starts them again; 0 for never.',
    ),
  intern_agent_answer_ms: milliseconds(60_000).describe(
    'How long an agent may take to begin, and to open a session or take it up again, before the turn is refused.',
  ),
  intern_question_ms: milliseconds(300_000).describe('How long a question of an intern waits for its answer.'),
  intern_open_questions: z.coerce
    .number()
    .int()
    .min(1)
    .max(1000)
    .default(8)
    .describe('How many runs of one intern may wait for an answer at once.'),
  intern_replay_bytes: z.coerce
    .number()
    .int()
    .min(1024)
    .max(1024 ** 3)
    .default(1024 ** 2)
    .describe('How much of its output is kept for a run that waits; with more it cannot be resumed.'),
  intern_transcript_bytes: z.coerce
    .number()
    .int()
    .min(256 * 1024)
    .max(64 * 1024 ** 3)
    .default(64 * 1024 ** 2)
    .describe(
      'How much one intern keeps of what was said and done in its sessions, each of which may have a quarter of it; the oldest goes first.',
    ),
  intern_transcript_days: z.coerce
    .number()
    .int()
    .min(1)
    .max(3650)
    .default(30)
    .describe('After how many quiet days a session’s transcript is forgotten.'),
  intern_processes: atMost(1024).describe(
    'How many processes and threads one intern may have at once, all it runs together; 0 for any number.',
  ),
  intern_memory_bytes: atMost(4 * 1024 ** 3).describe(
    'How much memory one intern may hold, all it runs together; 0 for any.',
  ),
  intern_disk_bytes: atMost(10 * 1024 ** 3).describe(
    'How much the files of one intern (`workspace/` and `state/`) may take on the disk; 0 for any.',
  ),
  intern_upload_bytes: atMost(1024 ** 3).describe(
    'How large a file or an archive, unpacked, may be that comes into an intern’s workspace by the API, and an archive that goes out; 0 for none. The disk limit holds besides.',
  ),
  intern_log_bytes: atMost(16 * 1024 ** 2).describe(
    'How long the log of an intern’s daemon may grow before it begins anew; 0 for any.',
  ),
  intern_control_groups: z
    .stringbool()
    .default(true)
    .describe(
      'Whether interns are held and ended by control groups (cgroup v2), where the service was given one to divide.',
    ),
  default_intern_model: z
    .string()
    .min(1)
    .default('signalbox/demo')
    .describe(
      'The model of interns that have none of their own: any that `/chat/completions` takes; `script` asks no model and plays the offline script.',
    ),
  demo_intern: z.stringbool().default(true).describe('Whether the first start makes an intern named `demo`.'),
  keep_interns_running: z
    .stringbool()
    .default(false)
    .describe('Whether interns go on when the server stops, for the next one to take over.'),
  intern_users_from: z.coerce
    .number()
    .int()
    .min(0)
    .max(2 ** 31 - 1)
    .default(1_900_000_000)
    .describe('When the server runs as root, each intern gets a user id of its own from this number on; 0 for none.'),
  sandbox_program: z
    .string()
    .startsWith('/')
    .optional()
    .describe(
      'The bubblewrap (`bwrap`) that makes the sandbox of interns. Unless set, the first on the PATH that works, else util-linux.',
    ),
  without_sandbox: z
    .enum(['refuse', 'consent'])
    .default('refuse')
    .describe(
      'Where no sandbox can be made, whether commands that an intern asks for in `manual` are refused, or run without one when a person consents.',
    ),
  agents: z
    .record(z.string().min(1).max(100), ConfiguredAgent)
    .default({})
    .describe('Agents that interns may be made with, by name (file only).'),
  allow_custom_agents: z
    .stringbool()
    .default(false)
    .describe('Whether whoever has an API key may make an intern that runs a command of their choice on this host.'),
}
