import { z } from '../../json/schema.ts'
import { ConfiguredAgent, limitSetting, millisecondsSetting } from '../setting-values.ts'

/** The settings of interns: limits, retention, and users. */
export const internSettings = {
  intern_unresponsive_ms: z.coerce
    .number()
    .int()
    .min(1000)
    .max(3_600_000)
    .default(30_000)
    .describe('The time without a response after which the daemon of an intern is restarted.'),
  intern_idle_ms: z.coerce
    .number()
    .int()
    .min(0)
    .max(2 ** 31 - 1)
    .default(0)
    .describe('The time without a turn after which the processes of an intern end until the next prompt; 0: never.'),
  intern_agent_answer_ms: millisecondsSetting(60_000).describe(
    'The time in which an agent must start and open or resume a session. After it, the turn is refused.',
  ),
  intern_question_ms: millisecondsSetting(300_000).describe(
    'The time for which a question of an intern waits for its answer.',
  ),
  intern_open_questions: z.coerce
    .number()
    .int()
    .min(1)
    .max(1000)
    .default(8)
    .describe('The maximum number of runs of an intern that wait for an answer.'),
  intern_replay_bytes: z.coerce
    .number()
    .int()
    .min(1024)
    .max(1024 ** 3)
    .default(1024 ** 2)
    .describe('The maximum stored output of a waiting run. A run with more cannot be resumed.'),
  intern_transcript_bytes: z.coerce
    .number()
    .int()
    .min(256 * 1024)
    .max(64 * 1024 ** 3)
    .default(64 * 1024 ** 2)
    .describe(
      'The maximum size of an intern’s transcripts. A session can use a quarter of it. The oldest content is deleted first.',
    ),
  intern_transcript_days: z.coerce
    .number()
    .int()
    .min(1)
    .max(3650)
    .default(30)
    .describe('The number of days without activity after which a session’s transcript is deleted.'),
  intern_processes: limitSetting(1024).describe(
    'The maximum number of processes and threads of an intern, including all commands it runs; 0: unlimited.',
  ),
  intern_memory_bytes: limitSetting(4 * 1024 ** 3).describe(
    'The maximum memory of an intern, including all commands it runs; 0: unlimited.',
  ),
  intern_disk_bytes: limitSetting(10 * 1024 ** 3).describe(
    'The maximum disk space of an intern’s files (`workspace/` and `state/`); 0: unlimited.',
  ),
  intern_upload_bytes: limitSetting(1024 ** 3).describe(
    'The maximum size of an uploaded file, of an unpacked archive, and of a downloaded archive; 0 disables transfers.',
  ),
  intern_log_bytes: limitSetting(16 * 1024 ** 2).describe(
    'The size above which the log of an intern’s daemon is emptied; 0: unlimited.',
  ),
  intern_control_groups: z
    .stringbool()
    .default(true)
    .describe('Whether to limit and end interns by control groups (cgroup v2) if one is delegated to the service.'),
  default_intern_model: z
    .string()
    .min(1)
    .default('signalbox/demo')
    .describe('The default model of interns, or `script`, which plays a fixed script without a model.'),
  demo_intern: z.stringbool().default(true).describe('Whether the first start creates an intern named `demo`.'),
  keep_interns_running: z
    .stringbool()
    .default(false)
    .describe('Whether interns continue to run when the server stops, so that the next one takes them over.'),
  intern_users_from: z.coerce
    .number()
    .int()
    .min(0)
    .max(2 ** 31 - 1)
    .default(1_900_000_000)
    .describe('The first user id of interns if the server runs as root. Each intern gets a separate one; 0: none.'),
  sandbox_program: z
    .string()
    .startsWith('/')
    .optional()
    .describe(
      'The path of bubblewrap (`bwrap`), which creates the sandbox of interns. Default: the first on the PATH that works, else util-linux.',
    ),
  without_sandbox: z
    .enum(['refuse', 'consent'])
    .default('refuse')
    .describe(
      'On hosts without a sandbox: `refuse` commands of an intern in `manual`, or run them if a person allows them (`consent`).',
    ),
  agents: z
    .record(z.string().min(1).max(100), ConfiguredAgent)
    .default({})
    .describe('Agents that interns can use, by name (file only).'),
  allow_custom_agents: z
    .stringbool()
    .default(false)
    .describe('Whether everyone with an API key can create an intern that runs any command on this host.'),
}
