import { type Command, Option } from 'commander'
import { requireOrganization } from '../../domain/office/organizations/organizations.ts'
import { fileNameOf } from '../../platform/archives/queries.ts'
import { month } from './arguments.ts'
import { progressOnStderr } from './lines.ts'
import { verb } from './verb.ts'

export function addArchiveVerbs(program: Command): void {
  const archives = program.command('archives').description('Files of what was deleted because it was old.')
  archives
    .command('list')
    .description("List a builder's archives.")
    .argument('<organizationId>')
    .action((id: string) =>
      verb(async ({ database }) => {
        const { allOf } = await import('../../platform/archives/fetch.ts')
        await requireOrganization(database.statements, id)
        const data: object[] = []
        for await (const archive of allOf(database.statements, id))
          data.push({ ...archive, fileName: fileNameOf(archive) })
        return { data }
      })(),
    )
  archives
    .command('fetch')
    .description("Copy a builder's archives into a folder: lines of JSON as in an export, compressed by gzip.")
    .argument('<organizationId>')
    .requiredOption('--out <folder>', 'a new folder')
    .addOption(
      new Option('--kind <kind>', 'all kinds when left out').choices(['event', 'status_change', 'vendor_notification']),
    )
    .option('--month <month>', 'such as 2026-11; all months when left out', month)
    .action((id: string, { out, ...wanted }: { out: string; kind?: string; month?: string }) =>
      verb(async ({ database, clock, config }) => {
        await requireOrganization(database.statements, id)
        const { fetchArchives } = await import('../../platform/archives/fetch.ts')
        const say = progressOnStderr()
        const copied = await fetchArchives({ database, clock, config }, id, out, wanted, (count) =>
          say(() => `${count} archives`),
        )
        return { organizationId: id, folder: out, copied }
      })(),
    )
}
