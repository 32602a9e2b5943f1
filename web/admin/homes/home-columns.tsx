import { Link } from 'react-router'
import type { Community, Home } from '../../../client/contract.gen.ts'
import { Status } from '../../ui/badge.tsx'
import { humanizeName } from '../../ui/humanize-name.ts'
import { formatPercent } from '../../ui/number-formats.ts'
import { STATUS_LOOKS } from '../../ui/status-styles.ts'
import { type Column, EmptyCell } from '../../ui/table.tsx'
import { useFormats } from '../../ui/use-formats.ts'

/** Returns the columns for a list of homes. In the list of one community, there is no column for the community. */
export function useHomeColumns(communities: ReadonlyMap<string, Community> | null): readonly Column<Home>[] {
  const { money, day } = useFormats()
  const columns: readonly (Column<Home> | null)[] = [
    {
      head: 'Home',
      sort: 'name',
      cell: ({ id, name, address }) => (
        <>
          <Link className="lead" to={`/homes/${id}`}>
            {name}
          </Link>
          {address?.line1 != null && <span className="sub">{address.line1}</span>}
        </>
      ),
      csv: ({ name }) => name,
    },
    {
      head: 'Status',
      cell: ({ status }) => <Status of="home" is={status} />,
      csv: ({ status }) => STATUS_LOOKS.home[status].word,
    },
    communities && {
      head: 'Community',
      cell: ({ communityId }) => communities.get(communityId)?.name ?? '',
      csv: ({ communityId }) => communities.get(communityId)?.name ?? communityId,
    },
    { head: 'Type', isWideOnly: true, cell: ({ homeType }) => humanizeName(homeType), csv: ({ homeType }) => homeType },
    {
      head: 'Sale',
      isWideOnly: true,
      cell: ({ salesStatus }) => humanizeName(salesStatus),
      csv: ({ salesStatus }) => salesStatus,
    },
    {
      head: 'Price',
      numeric: true,
      cell: ({ contractPrice, price }) => {
        const amount = contractPrice ?? price
        return amount === null ? <EmptyCell word="no price" /> : money(amount)
      },
      csv: ({ contractPrice, price }) => contractPrice ?? price,
    },
    {
      head: 'Complete',
      numeric: true,
      cell: ({ percentComplete }) => formatPercent(Math.round(percentComplete)),
      csv: ({ percentComplete }) => percentComplete,
    },
    {
      head: 'Completion',
      className: 'nowrap',
      cell: ({ actualCompletionDate, forecastCompletionDate }) =>
        actualCompletionDate !== null ? (
          day(actualCompletionDate)
        ) : forecastCompletionDate === null ? (
          <EmptyCell word="not scheduled" />
        ) : (
          <>
            {day(forecastCompletionDate)} <span className="faint">forecast</span>
          </>
        ),
      csv: ({ actualCompletionDate, forecastCompletionDate }) => actualCompletionDate ?? forecastCompletionDate,
    },
  ]
  return columns.filter((column) => column !== null)
}
