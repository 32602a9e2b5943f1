import { useListPage } from '../../api/list-pages.ts'
import { SelectField } from '../../ui/form.tsx'
import { humanizeName } from '../../ui/humanize-name.ts'

/** The page size limit of one request. A builder has fewer trades. */
const MAX_TRADES = 200

/** Shows an optional field in which the user chooses a trade. */
export function TradeField({ trade }: { trade: string | null }) {
  const trades = useListPage('/api/ext/scopes', { limit: MAX_TRADES, sort: 'sequence' })
  return (
    <SelectField
      // The options arrive later, and would otherwise not contain the trade of the record.
      key={trades.data === undefined ? 'loading' : 'loaded'}
      name="scope"
      label="Trade"
      optional
      defaultValue={trade ?? ''}
      options={[
        { value: '', label: 'None' },
        ...(trades.data?.data ?? []).map(({ name }) => ({ value: name, label: humanizeName(name) })),
      ]}
    />
  )
}
