import type { Config } from '#platform/config/settings.ts'
import { dayMs } from '#platform/core/clock.ts'

/** The limits of a daemon's settings, as the service's settings have them. */
export function toDaemonLimits(config: Config): Record<string, number> {
  return {
    handshakeMs: config.intern_agent_answer_ms,
    questionMs: config.intern_question_ms,
    maxOpenQuestions: config.intern_open_questions,
    maxReplayBytes: config.intern_replay_bytes,
    maxTranscriptBytes: config.intern_transcript_bytes,
    // One long session must not remove the transcripts of all others.
    maxSessionTranscriptBytes: Math.floor(config.intern_transcript_bytes / 4),
    transcriptMs: config.intern_transcript_days * dayMs,
    maxUploadBytes: config.intern_upload_bytes,
    maxDiskBytes: config.intern_disk_bytes,
  }
}
