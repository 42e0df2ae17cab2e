import { brokenJson, oddPatch, untilMessage, wrongText } from '../slips.ts'
import { edit, patching, read, run, type Task, text } from '../task.ts'

const check = 'perl check.pl'
const readme = (about: string) => `# ${about}\n\nRun \`perl check.pl\` after each change.\n`

const whole = (size: number) =>
  `sub fields { my ($line) = @_; chomp $line; return split /;/, $line, -1 }\n${'# a remark\n'.repeat(size)}1;\n`
const cut: Task = {
  name: 'cut off',
  language: 'Perl',
  prompt: 'Empty fields at the end of a line are lost. Repair it.',
  files: {
    'README.md': readme('Fields'),
    'Fields.pm': 'sub fields { my ($line) = @_; chomp $line; return split /;/, $line }\n1;\n',
  },
  tests: { 'check.pl': 'require "./Fields.pm"; my @f = fields("a;b;;\\n"); exit(@f == 4 ? 0 : 1);\n' },
  check,
  look: ['Fields.pm'],
  repair: edit('Fields.pm', 'split /;/, $line', 'split /;/, $line, -1'),
  slips: [
    {
      ...brokenJson(
        'a call cut by the output limit',
        {
          name: 'write_file',
          raw: JSON.stringify({ path: 'Fields.pm', content: whole(3000) }).slice(0, 20_000),
          cut: true,
        },
        /cut off.*(limit|parts|less)/,
        edit('Fields.pm', 'split /;/, $line', 'split /;/, $line, -1'),
        true,
      ),
    },
  ],
}

const sorting: Task = {
  name: 'again and again',
  language: 'Perl',
  prompt: 'Numbers are sorted as words. Repair it.',
  files: { 'README.md': readme('Sorting'), 'sorted.pl': 'print join(",", sort @ARGV), "\\n";\n' },
  tests: { 'check.pl': 'exit(`perl sorted.pl 10 9 1` eq "1,9,10\\n" ? 0 : 1);\n' },
  check,
  look: ['sorted.pl'],
  repair: edit('sorted.pl', 'sort @ARGV', 'sort { $a <=> $b } @ARGV'),
  slips: [
    untilMessage('the same failing call again and again', run('make check'), /same result/, [run(check)]),
    wrongText('an edit with other spaces', 'sorted.pl', 'print join( ",", sort @ARGV ), "\\n";', (line) =>
      line.replace('sort @ARGV', 'sort { $a <=> $b } @ARGV'),
    ),
  ],
}

const trimming: Task = {
  name: 'unchecked',
  language: 'Perl',
  prompt: 'Spaces at both ends of a value must be removed. Repair it.',
  files: {
    'README.md': readme('Trim'),
    'AGENTS.md': 'After each change run `perl check.pl`.\n',
    'Trim.pm': 'sub trim { my ($text) = @_; $text =~ s/^\\s+|\\s+$//; return $text }\n1;\n',
  },
  tests: { 'check.pl': 'require "./Trim.pm"; exit(trim("  a b  ") eq "a b" ? 0 : 1);\n' },
  check,
  look: ['Trim.pm'],
  repair: {
    name: 'write_file',
    input: { path: 'Trim.pm', content: 'sub trim { return $_[0] =~ s/^\\s+|\\s+$//gr }\n1;\n' },
  },
  slips: [],
  hasty: edit('Trim.pm', '\\s+$//;', '\\s*$//;'),
}

const table: Task = {
  name: 'binary',
  language: 'Perl',
  prompt: 'The first number of table.dat is read wrongly. Repair it.',
  files: {
    'README.md': readme('Table'),
    'table.dat': () => Buffer.from([0, 0, 1, 2, 0, 0, 0, 7]),
    'table.pl': text`
      open my $file, '<:raw', 'table.dat' or die;
      read $file, my $bytes, 4;
      my ($number) = unpack 'V', $bytes;
      print "$number\n";
    `,
  },
  tests: { 'check.pl': 'exit(`perl table.pl` eq "258\\n" ? 0 : 1);\n' },
  check,
  look: ['table.pl'],
  repair: edit('table.pl', "unpack 'V'", "unpack 'N'"),
  slips: [
    untilMessage('a binary file, read as text', read('table.dat'), /\bxxd\b|\bod\b|\bhexdump\b/, [
      run('od -A d -t x1 table.dat'),
    ]),
    oddPatch(
      'a patch with a wrong line around the change',
      [
        ...['*** Begin Patch', '*** Update File: table.pl', '@@', " open my $file, '<', 'table.dat';"],
        ...[' read $file, my $bytes, 4;', "-my ($number) = unpack 'V', $bytes;", "+my ($number) = unpack 'N', $bytes;"],
        ...[' print "$number\\n";', '*** End Patch'],
      ].join('\n'),
      /<:raw/,
      edit('table.pl', "unpack 'V'", "unpack 'N'"),
    ),
  ],
}

const wide: Task = {
  name: 'a small window',
  language: 'Perl',
  prompt: 'One of the rules has a wrong sum. Repair it.',
  files: {
    'README.md': readme('Rules'),
    ...Object.fromEntries(
      Array.from({ length: 8 }, (_, at) => [
        `rules/rule${at}.pl`,
        `${'# What the rule is for, at length, as its author wrote it down once.\n'.repeat(200)}${at === 5 ? '4 + 4 == 9' : '1'};\n`,
      ]),
    ),
  },
  tests: { 'check.pl': 'do "./rules/rule$_.pl" or exit 1 for 0 .. 7;\n' },
  check,
  look: ['rules/rule5.pl'],
  repair: patching('*** Update File: rules/rule5.pl', '@@', '-4 + 4 == 9;', '+4 + 4 == 8;'),
  windowTokens: 12_000,
  slips: [
    {
      name: 'more than the window holds',
      call: read('rules/rule0.pl'),
      next: () => Array.from({ length: 8 }, (_, at) => read(`rules/rule${at}.pl`)),
    },
  ],
}

export const perl = [cut, sorting, trimming, table, wide]
