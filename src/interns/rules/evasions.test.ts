// biome-ignore-all lint/suspicious/noTemplateCurlyInString: commands of bash, not templates
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { judge } from './judge.ts'
import type { Effect, RuleSet } from './rule.ts'

/** What somebody writes who allows a little, and above all no push. */
const rules: RuleSet = {
  scope: 'intern',
  version: 1,
  rules: [
    { effect: 'deny', commands: ['git push', 'curl'] },
    { effect: 'allow', commands: ['git status', 'git log **', 'echo **', 'npm test', 'ls **', 'cd **', 'true'] },
  ],
}

function effectOf(command: string, agent = 'builtin'): Effect | undefined {
  const action = { operation: 'shell', command, paths: [], hosts: [], root: '/work', unsure: false }
  return judge([rules], action, agent)?.effect
}

/** Each does `git push` (or runs `curl`) in bash, or may: none may be granted. `deny` where the words are there to be seen. */
const evasions: [command: string, effect: Effect][] = [
  ['git push', 'deny'],
  ['git  \t push', 'deny'],
  ['git "push"', 'deny'],
  ["git 'push'", 'deny'],
  ["git pu'sh'", 'deny'],
  ['g"i"t p"us"h', 'deny'],
  ['\\git push', 'deny'],
  ['git pu\\sh', 'deny'],
  ['gi\\\nt push', 'deny'],
  ['git \\\n push', 'deny'],
  ['/usr/bin/git push', 'deny'],
  ['../../usr/bin/git push', 'deny'],
  ['git-push', 'deny'],
  ['/usr/lib/git-core/git-push origin', 'deny'],
  ['git -C . push', 'deny'],
  ['git --no-pager push', 'deny'],
  ['git -c a.b=c push', 'deny'],
  ['git --git-dir=.git --work-tree . push', 'deny'],
  ['git status && git push', 'deny'],
  ['git status; git push', 'deny'],
  ['git status\ngit push', 'deny'],
  ['git status & git push', 'deny'],
  ['git status | git push', 'deny'],
  ['git status |& git push', 'deny'],
  ['false || git push', 'deny'],
  ['git push #', 'deny'],
  ['# nothing\ngit push', 'deny'],
  ['X=1 git push', 'deny'],
  ['GIT_DIR=.git X=2 git push', 'deny'],
  ['>/dev/null git push', 'deny'],
  ['2>&1 git push', 'deny'],
  ['<in.txt git push', 'deny'],
  ['git push > log', 'deny'],
  ['(git push)', 'deny'],
  ['{ git push; }', 'deny'],
  ['! git push', 'deny'],
  ['time git push', 'deny'],
  ['if true; then git push; fi', 'deny'],
  ['for i in 1; do git push; done', 'deny'],
  ['while git push; do break; done', 'deny'],
  ['case x in x) git push;; esac', 'deny'],
  ['f() { git push; }; f', 'deny'],
  ['echo $(git push)', 'deny'],
  ['echo "$(git push)"', 'deny'],
  ['echo `git push`', 'deny'],
  ['echo <(git push)', 'deny'],
  ['echo ${x:-$(git push)}', 'deny'],
  ['sh -c "git push"', 'deny'],
  ["bash -c 'git push'", 'deny'],
  [`bash -c 'git "push"'`, 'deny'],
  [`sh -c 'git '"'push'"`, 'deny'],
  ['eval git push', 'deny'],
  ["eval 'git push'", 'deny'],
  ['env git push', 'deny'],
  ['env -i X=1 /usr/bin/git push', 'deny'],
  ['xargs git push', 'deny'],
  ['echo push | xargs git', 'ask'],
  ['exec git push', 'deny'],
  ['command git push', 'deny'],
  ['nohup git push', 'deny'],
  ['timeout 5 git push', 'deny'],
  ['sudo -u root git push', 'deny'],
  ['nice -n 5 git push', 'deny'],
  ['find . -exec git push \\;', 'deny'],
  ["echo 'git push' | sh", 'deny'],
  ['sh <<< "git push"', 'deny'],
  ['sh <<EOF\ngit push\nEOF', 'deny'],
  ['script -c "git push" /dev/null', 'deny'],
  ['awk \'BEGIN { system("git push") }\'', 'deny'],
  [`python3 -c "import os; os.system('git push')"`, 'deny'],
  [`python3 -c "import subprocess as s; s.run(['git','push'])"`, 'deny'],
  [`node -e "require('child_process').execSync('git push')"`, 'deny'],
  ["perl -e 'system qw(git push)'", 'deny'],
  ['busybox sh -c "git push"', 'deny'],
  ['trap "git push" EXIT', 'deny'],
  ['alias g=git; g push', 'ask'],
  ['git -c alias.p=push p', 'deny'],
  ['git config alias.p push; git p', 'ask'],
  ["git submodule foreach 'git push'", 'deny'],
  ["git rebase --exec 'git push' main", 'deny'],
  ['git $X', 'ask'],
  ['git ${X}', 'ask'],
  ['git "$X"', 'ask'],
  ['$GIT push', 'ask'],
  ['g${E}it push', 'ask'],
  ['git pu{s,}h', 'ask'],
  ['git pu?h', 'ask'],
  ['git p*', 'ask'],
  ['/usr/bin/g?t push', 'ask'],
  ["$'git' push", 'deny'],
  ["git $'pu\\x73h'", 'ask'],
  ['git $"push"', 'deny'],
  ['echo Z2l0IHB1c2g= | base64 -d | sh', 'ask'],
  ['. ./push.sh', 'ask'],
  ['source push.sh', 'ask'],
  ['read c < file; $c', 'ask'],
  ['printf -v c %s git; $c push', 'ask'],
  ['hash -p /usr/bin/git ls; ls push', 'ask'],
  ['enable -f ./evil.so ls; ls', 'ask'],
  ['PATH=.; git status', 'ask'],
  ['export PATH=.; git status', 'ask'],
  ...[
    ...['tmux new -d git push', 'screen -dm git push', 'xvfb-run git push', 'fakeroot git push', 'valgrind git push'],
    ...['perf record git push', 'hyperfine "git push"', 'poetry run git push', 'bundle exec git push'],
    ...['cmake -E env git push', 'git bisect run git push', 'git filter-branch --tree-filter "git push"'],
    ...[
      'psql -c "\\! git push"',
      'sqlite3 x.db ".shell git push"',

      'npm explore x -- git push',
    ],
    ...[
      'R -e \'system("git push")\'',
      "sed -n '/x/e git push' f",
      'mise exec -- git push',
      'ansible all -a "git push"',
    ],
  ].map((command): [string, Effect] => [command, 'deny']),
  ...[
    ...[
      'git config core.fsmonitor ./evil; git status',
      'git config diff.external ./evil',
      'git mergetool -t x',
      'git grep -O"git push" x',
      'git grep -O"git push" x',
    ],
    ...[
      'gcc -wrapper ./evil,x a.c',
      'tar xfI x ./evil',
      'go vet -vettool=./evil',
      'mvn exec:exec',
      'tcpdump -z ./evil',
    ],
    ...['gradle -I evil.gradle x', 'apt-get -o APT::Update::Pre-Invoke::=./evil update', 'man -H ./evil x'],
    ...['npm config set script-shell ./evil', 'wget --use-askpass=./evil x', 'ssh-keygen -D ./evil.so'],
  ].map((command): [string, Effect] => [command, 'ask']),
  ['git push\0', 'deny'],
  ['git\u001b push', 'deny'],
  ['git push "', 'deny'],
  ["git push 'open", 'deny'],
  ['git push \\', 'deny'],
  ['curl https://x.example', 'deny'],
  ['ls; /usr/bin/cu""rl x', 'deny'],
  [`echo ${'x'.repeat(70_000)}; git push`, 'deny'],
]

for (const [command, effect] of evasions) {
  const shown = JSON.stringify(command.length > 100 ? `${command.slice(0, 40)}…` : command)
  test(`${shown} comes to ${effect}`, () => assert.equal(effectOf(command), effect))
}

/** Each is, or may be, more than what the rules allow: nobody may take it for that. */
const notAllowed = [
  './git status',
  '/tmp/git status',
  'git status .',
  'git statusx',
  'git "status "',
  'Git status',
  'git\u00a0status',
  'GIT_PAGER=evil git log',
  'LD_PRELOAD=./evil.so ls',
  'git status > ~/.bashrc',
  'echo evil >> .git/hooks/pre-commit',
  'echo x >| file',
  'echo x &> file',
  'echo x >& file',
  'ls < file',
  'ls 3<> file',
  'echo $HOME',
  'echo "$HOME"',
  'echo ~',
  'ls *.ts',
  'ls [a-z]',
  'ls {a,b}',
  'echo hi; rm -rf x',
  'echo hi & rm -rf x',
  'echo hi | tee x',
  'ls && make',
  'cd .. && ./run',
  'npm test -- --evil',
  'npm test extra',
  'git log `id`',
  'a[0]=1 ls',
  'a+=b ls',
  'coproc ls',
  '[[ -f x ]] && ls',
  'ls;;',
  '',
  ' ',
  '# only words',
]

for (const command of notAllowed)
  test(`${JSON.stringify(command)} is not allowed`, () => assert.notEqual(effectOf(command), 'allow'))

const allowed = [
  'git status',
  '  git   status  ',
  '"git" \'status\'',
  'git status # look',
  'git status;',
  'git log --oneline -5 && echo done',
  'ls -la\necho two lines',
  'git status 2>&1 | true',
  'echo "a; b && c" \'$(x)\' 2>/dev/null',
  'ls \\\n -la',
  'cd sub && npm test',
  'echo a=b',
]

for (const command of allowed)
  test(`${JSON.stringify(command)} is allowed`, () => assert.equal(effectOf(command), 'allow'))

/** What harms nobody is not held up by a rule that denies something else. */
for (const command of [
  'git commit -m push',
  'echo git; make push',
  'make "git push"',
  'grep "git push" notes.txt',
  'gitk push',
  'git diff man.c && git merge main && git add src/filter.ts',
  'tar czf a.tgz src && tar xf b.tar FILE',
  'sed -n 1,20p src/e.ts',
  'poetry install',
  'mvn test',
  'gcc -O2 -o a a.c',
  'go test ./...',
])
  test(`${JSON.stringify(command)} is left to whoever decides without rules`, () =>
    assert.ok(['allow', undefined].includes(effectOf(command))))
