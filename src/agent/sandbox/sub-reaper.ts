import { existsSync } from 'node:fs'

/** Node cannot make system calls. Perl can, and is part of every Debian and Ubuntu. */
const perl = '/usr/bin/perl'
/** The number of the system call `prctl`. */
const prctlNumbers: Partial<Record<NodeJS.Architecture, number>> = { x64: 157, arm64: 167 }
const prctl = prctlNumbers[process.arch]
/** The operation PR_SET_CHILD_SUBREAPER of `prctl`. */
const setChildSubReaper = 36

/** Whether commands can run below a process that adopts the orphans among their descendants. */
export const hasSubReaper = process.platform === 'linux' && prctl !== undefined && existsSync(perl)

/**
 * A process that starts the command and waits until it exits or the pipe on descriptor 3 closes. As the sub-reaper of all
 * descendants it then kills each of them, also those with another session and a cleared environment. It exits with the status
 * of the command, or ends by the signal that ended the command. It ignores the signals that a command sends to its own group.
 *
 * - `waitpid(-1, 1)` is WNOHANG: it returns the id of an ended child, 0 if all are running, -1 if there is none.
 * - The handler of CHLD does nothing, but interrupts `select`, so that an ended child is noticed at once. The 0.2 seconds
 *   only matter for a signal that arrives just before `select`.
 * - Status 9 is death by SIGKILL, for a command whose agent closed the pipe.
 * - The loop of 400 rounds with 5 ms kills children that appear while others are killed, for two seconds at most.
 * - After sending itself the signal, the process sleeps, because the signal can arrive a moment later.
 */
const script = `
use strict;
my $group = shift @ARGV;
syscall(${prctl}, ${setChildSubReaper}, 1, 0, 0, 0);
open(my $life, '<&=', 3) or die "descriptor 3: $!";
$SIG{$_} = sub {} for qw(TERM INT HUP QUIT CHLD);
my $command = fork;
die "fork: $!" unless defined $command;
if (!$command) {
  $SIG{$_} = 'DEFAULT' for qw(TERM INT HUP QUIT CHLD);
  close $life;
  if ($group ne '' and open(my $members, '>', "$group/cgroup.procs")) { print $members "0\\n"; close $members }
  exec { $ARGV[0] } @ARGV or exit 127;
}
my $status = 0;
for (;;) {
  my $ended = waitpid(-1, 1);
  if ($ended == $command) { $status = $?; last }
  next if $ended > 0;
  my $ready = '';
  vec($ready, 3, 1) = 1;
  my $found = select($ready, undef, undef, 0.2);
  if ($found > 0) { my $read = sysread($life, my $bytes, 1); if (defined $read and $read == 0) { $status = 9; last } }
}
for (1 .. 400) {
  open(my $list, '<', "/proc/$$/task/$$/children") or last;
  my @children = split ' ', (<$list> // '');
  kill 'KILL', @children if @children;
  my $ended;
  do { $ended = waitpid(-1, 1) } while ($ended > 0);
  last if $ended == -1;
  select(undef, undef, undef, 0.005);
}
my $signal = $status & 127;
if ($signal) {
  require Config;
  my @names = split ' ', $Config::Config{sig_name};
  $SIG{$names[$signal]} = 'DEFAULT' if $signal != 9;
  kill $signal, $$;
  sleep 1;
}
exit($status >> 8);
`

/** @param group the control group that the command joins, if it has one. */
export function createSubReaperCommand(
  command: readonly string[],
  group: string | undefined,
): { file: string; args: string[] } {
  return { file: perl, args: ['-e', script, group ?? '', ...command] }
}
