import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Starts with the test files that take longest. In a fresh clone, no times are recorded. Vitest would then sort by file
 * size, and at the end, one worker would run a long file alone for minutes.
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
  'test/pages/screens.test.ts',
  'test/portal-pages/portal-pages.test.ts',
  'mock/mock.test.ts',
  'server/interfaces/inbound-mail/inbound-mail.test.ts',
  'test/fuzz/bills.test.ts',
  'test/docs/docs.test.ts',
  'test/move.test.ts',
  'test/walk/walk.test.ts',
  'server/interfaces/portal/mail-languages.test.ts',
  'test/contract/new-resource.test.ts',
  'test/walk/list-plans.test.ts',
  'server/operators/cli/cli.test.ts',
  'test/pages/field.test.ts',
  'test/mock/agreement.test.ts',
  'server/domain/administration/sandbox/sandbox.test.ts',
  'server/platform/webhooks/webhooks.test.ts',
  'test/two-owners.test.ts',
  'test/rollback.test.ts',
  'client/package.test.ts',
  'server/domain/office/mail/mail.test.ts',
  'test/pages/forms.test.ts',
  'server/process.test.ts',
  'test/pages/orders.test.ts',
  'test/pages/days.test.ts',
  'test/fuzz/fuzz.test.ts',
  'server/interfaces/connections.test.ts',
  'test/pages/contracts.test.ts',
  'test/pages/accounting.test.ts',
  'test/pages/reports.test.ts',
  'test/fuzz/skills.test.ts',
  'test/pages/drafts.test.ts',
  'client/retry.test.ts',
  'server/operators/backup/backup.test.ts',
  'test/pages/settings.test.ts',
  'server/interfaces/owner/owner.test.ts',
  'server/interfaces/imports/imports.test.ts',
  'test/pages/passkeys.test.ts',
  'test/contract/breaking-changes.test.ts',
  'test/webhook-processes.test.ts',
  'test/contract/one-line-changes.test.ts',
]

function filePosition({ moduleId }: TestSpecification): number {
  const found = LONG_FILES.findIndex((file) => moduleId.endsWith(`/${file}`))
  return found === -1 ? LONG_FILES.length : found
}
