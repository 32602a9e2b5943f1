import { useNavigate, useParams } from 'react-router'
import type { Home } from '../../../client/contract.gen.ts'
import { plumbline } from '../../api/plumbline.ts'
import { Page } from '../../ui/page.tsx'
import { LoadError, SkeletonLines } from '../../ui/states.tsx'
import { showToast } from '../../ui/toast.tsx'
import { HomeForm } from './home-form.tsx'

/** The page that changes a home: its lot, its plan, and its superintendent. */
export function Component() {
  const { homeId = '' } = useParams()
  const home = plumbline.useQuery('get', '/api/ext/homes/{homeId}', { params: { path: { homeId } } })
  const name = home.data?.name ?? 'Home'
  return (
    <Page
      title={`Edit ${name}`}
      crumbs={[{ name: 'Homes', to: '/homes' }, { name, to: `/homes/${homeId}` }, { name: 'Edit' }]}
    >
      <div className="page-head">
        <h1>Edit {name}</h1>
      </div>
      {home.error !== null ? (
        <LoadError what="The home" error={home.error} onRetry={() => void home.refetch()} />
      ) : home.data === undefined ? (
        <SkeletonLines lines={6} />
      ) : (
        <EditedHome key={home.data.id} home={home.data} />
      )}
    </Page>
  )
}

function EditedHome({ home }: { home: Home }) {
  const navigate = useNavigate()
  const change = plumbline.useMutation('patch', '/api/ext/homes/{homeId}', {
    onSuccess: ({ id, name }) => {
      showToast(`${name} changed`)
      void navigate(`/homes/${id}`)
    },
  })
  return (
    <HomeForm
      home={home}
      communityId={home.communityId}
      error={change.error}
      isPending={change.isPending}
      word="Save home"
      onSubmit={({ body }) =>
        change.mutate({
          params: { path: { homeId: home.id }, header: { 'If-Match': `"${home.version}"` } },
          body,
        })
      }
    />
  )
}
