import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Starts with the test files that take longest. In a fresh clone, no times are recorded. Vitest would then sort by file
 * size, and at the end, one worker would run the test of the screens alone for a minute.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    // Keeps the files of a project together, because a worker is reused only within its own project.
    const projects = [...new Set(sorted.map(({ project }) => project))]
    return projects.flatMap((project) =>
      sorted.filter((file) => file.project === project).sort((one, other) => filePosition(one) - filePosition(other)),
    )
  }
}

// The longest files in order. Files that mostly wait alternate with files that use the processor, so that the
// processors are always busy.
const LONG_FILES = [
  'test/conformance/conformance.test.ts',
  'test/webhook-crash.test.ts',
  'mock/mock.test.ts',
  'test/pages/passkeys.test.ts',
  'test/walk/walk.test.ts',
  'test/docs/docs.test.ts',
  'server/operators/cli/cli.test.ts',
  'test/pages/screens.test.ts',
  'server/platform/webhooks/webhooks.test.ts',
  'test/walk/list-plans.test.ts',
  'server/interfaces/connections.test.ts',
  'test/mock/agreement.test.ts',
  'test/pages/settings.test.ts',
  'test/fuzz/fuzz.test.ts',
  'server/domain/office/mail/mail.test.ts',
  'server/domain/administration/sandbox/sandbox.test.ts',
  'client/package.test.ts',
  'test/pages/forms.test.ts',
  'test/contract/one-line-changes.test.ts',
  'client/retry.test.ts',
  'test/fuzz/skills.test.ts',
  'server/process.test.ts',
  'test/contract/breaking-changes.test.ts',
  'test/webhook-processes.test.ts',
  'server/operators/backup/backup.test.ts',
]

function filePosition({ moduleId }: TestSpecification): number {
  const found = LONG_FILES.findIndex((file) => moduleId.endsWith(`/${file}`))
  return found === -1 ? LONG_FILES.length : found
}
