import { QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { createBrowserRouter, RouterProvider } from 'react-router'
import { root } from '../api/plumbline.ts'
import { queryClient } from '../api/query-client.ts'
import { prefetchSession } from '../api/session.ts'
import { routes } from './routes.tsx'
import '../styles/tokens.css'
import '../styles/base.css'
import '../styles/frame.css'
import '../styles/panels.css'
import '../styles/controls.css'
import '../styles/tables.css'
import '../styles/messages.css'
import '../styles/code.css'
import '../styles/overlays.css'
import '../styles/drawings.css'
import '../styles/screens.css'
import '../styles/narrow.css'
import '../styles/print.css'

// There is no session yet on the sign-in page.
if (!location.pathname.startsWith(`${root}/sign-in`)) prefetchSession()

const router = createBrowserRouter(routes, { basename: root === '' ? '/' : root })

createRoot(document.getElementById('root') ?? document.body).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
)
