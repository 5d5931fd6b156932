"""Import real trees and CRDs: objects become the spec of a component and settings of targets, verified."""
