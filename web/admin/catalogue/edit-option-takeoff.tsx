import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from 'react-router'
import type { Option, OptionTakeoff, Plan } from '../../../client/contract.gen.ts'
import { fetchAllRows } from '../../api/list-pages.ts'
import { plumbline } from '../../api/plumbline.ts'
import { Page } from '../../ui/page.tsx'
import { EmptyState, LoadError, SkeletonLines } from '../../ui/states.tsx'
import { showToast } from '../../ui/toast.tsx'
import { TakeoffEditor } from './takeoff-editor.tsx'
import { type TakeoffReferences, useTakeoffReferences } from './takeoff-references.ts'
import { toOptionTakeoffLine } from './takeoff-rows.ts'

/** The service checks the takeoff of an option for at most this number of plans. */
const MAX_PLANS = 500

/** The page that edits the takeoff of an option. */
export function Component() {
  const { optionId = '' } = useParams()
  const at = { params: { path: { optionId } } }
  const option = plumbline.useQuery('get', '/api/ext/options/{optionId}', at)
  const takeoff = plumbline.useQuery('get', '/api/ext/options/{optionId}/takeoff', at)
  const planIds = option.data?.planIds ?? []
  const plans = useQuery({
    // The key is not a path, so that the list of the page's calls does not contain these requests.
    queryKey: ['takeoff plans', planIds],
    queryFn: () => fetchPlans(planIds),
    enabled: option.data !== undefined,
  })
  const references = useTakeoffReferences(optionId, takeoff.data)
  const name = option.data?.name ?? 'Option'
  const error = option.error ?? takeoff.error ?? plans.error ?? references.error
  return (
    <Page
      title={`Takeoff of ${name}`}
      crumbs={[
        { name: 'Catalog', to: '/catalogue' },
        { name: 'Options', to: '/catalogue/options' },
        { name, to: `/catalogue/options/${optionId}` },
        { name: 'Takeoff' },
      ]}
    >
      <div className="page-head">
        <h1>Takeoff of {name}</h1>
        <p>
          Enter the parts that this option adds to a home. A line with the ID of a plan's line replaces that line. A
          negative quantity subtracts parts.
        </p>
      </div>
      {error !== null ? (
        <LoadError
          what="The takeoff"
          error={error}
          onRetry={() => void Promise.all([option.refetch(), takeoff.refetch(), plans.refetch(), references.refetch()])}
        />
      ) : option.data === undefined ||
        takeoff.data === undefined ||
        plans.data === undefined ||
        references.data === undefined ? (
        <SkeletonLines lines={8} />
      ) : option.data.archivedAt !== null ? (
        <EmptyState icon="lock" title="This takeoff cannot be edited">
          The option is archived.
        </EmptyState>
      ) : (
        <OptionTakeoffEditor
          key={optionId}
          option={option.data}
          takeoff={takeoff.data}
          plans={plans.data}
          references={references.data}
        />
      )}
    </Page>
  )
}

/** Returns the plans that can have the option. An empty list of IDs means all plans in use. */
async function fetchPlans(ids: readonly string[]): Promise<readonly Plan[]> {
  if (ids.length > 0)
    return (await fetchAllRows('/api/ext/plans', { ids: [...ids], includeArchived: true, sort: 'code' }, MAX_PLANS))
      .rows
  const { rows } = await fetchAllRows('/api/ext/plans', { sort: 'code' }, MAX_PLANS)
  return rows.filter(({ status }) => status !== 'retired')
}

function OptionTakeoffEditor(props: {
  option: Option
  takeoff: OptionTakeoff
  plans: readonly Plan[]
  references: TakeoffReferences
}) {
  const { option, takeoff, plans, references } = props
  const navigate = useNavigate()
  const save = plumbline.useMutation('put', '/api/ext/options/{optionId}/takeoff', {
    onSuccess: () => {
      showToast(`Takeoff of ${option.name} saved`)
      void navigate(`/catalogue/options/${option.id}`)
    },
  })
  return (
    <TakeoffEditor
      {...{ takeoff, plans, references }}
      ownPlan={null}
      change={save}
      onSave={(rows, context, ifMatch) =>
        save.mutate({
          params: { path: { optionId: option.id }, header: ifMatch },
          body: { lines: rows.map((row) => toOptionTakeoffLine(row, context)) },
        })
      }
    />
  )
}
