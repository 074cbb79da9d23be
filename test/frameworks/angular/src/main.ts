import { bootstrapApplication } from '@angular/platform-browser'
import { Links } from './app/links'

bootstrapApplication(Links)
