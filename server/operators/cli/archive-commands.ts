import { type Command, Option } from 'commander'
import { requireOrganization } from '../../domain/office/organizations/organizations.ts'
import { toFileName } from '../../platform/archives/queries.ts'
import { formatCount } from '../../platform/values/format.ts'
import { parseMonth } from './arguments.ts'
import { createDatabaseCommand } from './command.ts'
import { createProgressReporter } from './line-writer.ts'

export function addArchiveCommands(program: Command): void {
  const archives = program
    .command('archives')
    .description('Manage the archives of records that were deleted because of their age.')
  archives
    .command('list')
    .description("List a builder's archives.")
    .argument('<organizationId>')
    .action((id: string) =>
      createDatabaseCommand(async ({ database }) => {
        const { listAllArchives } = await import('../../platform/archives/fetch-archives.ts')
        await requireOrganization(database.statements, id)
        const data: object[] = []
        for await (const archive of listAllArchives(database.statements, id))
          data.push({ ...archive, fileName: toFileName(archive) })
        return { data }
      })(),
    )
  archives
    .command('fetch')
    .description("Copy a builder's archives to a folder, as JSON lines compressed with gzip.")
    .argument('<organizationId>')
    .requiredOption('--out <folder>', 'folder to create')
    .addOption(
      new Option('--kind <kind>', 'kind of record (default: all kinds)').choices([
        'event',
        'status_change',
        'vendor_notification',
      ]),
    )
    .option('--month <month>', 'month such as 2026-11 (default: all months)', parseMonth)
    .action((id: string, { out, ...wanted }: { out: string; kind?: string; month?: string }) =>
      createDatabaseCommand(async ({ database, clock, config }) => {
        await requireOrganization(database.statements, id)
        const { fetchArchives } = await import('../../platform/archives/fetch-archives.ts')
        const say = createProgressReporter()
        const copied = await fetchArchives({ database, clock, config }, id, out, wanted, (count) =>
          say(() => formatCount(count, 'archive')),
        )
        return { organizationId: id, folder: out, copied }
      })(),
    )
}
