import { useNavigate, useSearchParams } from 'react-router'
import { plumbline } from '../../api/plumbline.ts'
import { Page } from '../../ui/page.tsx'
import { showToast } from '../../ui/toast.tsx'
import { HomeForm } from './home-form.tsx'

/** The page that creates a home, usually from a plan. */
export function Component() {
  const navigate = useNavigate()
  const [given] = useSearchParams()
  const create = plumbline.useMutation('post', '/api/ext/homes', {
    onSuccess: ({ id, name }) => {
      showToast(`${name} created`)
      void navigate(`/homes/${id}`)
    },
  })
  return (
    <Page title="New home" crumbs={[{ name: 'Homes', to: '/homes' }, { name: 'New home' }]}>
      <div className="page-head">
        <h1>New home</h1>
        <p>Create a home on a lot. Then estimate its budget from the plan.</p>
      </div>
      <HomeForm
        home={null}
        communityId={given.get('communityId') ?? ''}
        error={create.error}
        isPending={create.isPending}
        word="Create home"
        onSubmit={({ communityId, body }) => create.mutate({ body: { communityId, ...body } })}
      />
    </Page>
  )
}
